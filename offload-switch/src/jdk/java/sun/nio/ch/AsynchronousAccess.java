package sun.nio.ch;

import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** The counterpart of {@link ChannelAccess} for asynchronous channels and their groups. */
public final class AsynchronousAccess {
    static final AsynchronousAccess ONLY = new AsynchronousAccess();

    private AsynchronousAccess() {}

    /** Makes a provider of the JDK's own kind; all such providers share one default group. */
    public AsynchronousChannelProvider provider() {
        return DefaultAsynchronousChannelProvider.create();
    }

    public AsynchronousChannelGroup groupOf(AsynchronousSocketChannel channel) {
        return ((Groupable) channel).group();
    }

    /** Calls the handler if this thread may do so. Returns whether it did. */
    public <V, A> boolean invokeDirect(
            AsynchronousChannelGroup group,
            CompletionHandler<V, ? super A> handler,
            A attachment,
            V value,
            Throwable failure) {
        Invoker.GroupAndInvokeCount context = Invoker.getGroupAndInvokeCount();
        if (!Invoker.mayInvokeDirect(context, (AsynchronousChannelGroupImpl) group)) {
            return false;
        }
        Invoker.invokeDirect(context, handler, attachment, value, failure);
        return true;
    }

    /** Sets this thread's count of handlers on its stack to one, if it is a thread of a group. */
    public void countOneHandler() {
        Invoker.GroupAndInvokeCount context = Invoker.getGroupAndInvokeCount();
        if (context != null) {
            context.setInvokeCount(1);
        }
    }

    public Future<?> schedule(
            AsynchronousChannelGroup group, Runnable task, long timeout, TimeUnit unit) {
        return ((AsynchronousChannelGroupImpl) group).schedule(task, timeout, unit);
    }

    /** Is told, on a thread of a group, that a descriptor is ready or must be dropped. */
    public abstract static class Watcher implements Port.PollableChannel {}

    /**
     * Adds a descriptor to those of the group's channels. Unlike a channel it may be added after
     * the group was shut down, as the channel that it belongs to was there before.
     *
     * @return false if the group is not a {@code Port}
     * @throws ShutdownChannelGroupException if the group is about to terminate
     */
    public boolean register(AsynchronousChannelGroup group, int fd, Watcher watcher) {
        if (!(group instanceof Port port)) {
            return false;
        }
        port.fdToChannelLock.writeLock().lock();
        try {
            if (group.isShutdown() && port.fdToChannel.isEmpty()) {
                throw new ShutdownChannelGroupException();
            }
            port.fdToChannel.put(fd, watcher);
        } finally {
            port.fdToChannelLock.writeLock().unlock();
        }
        return true;
    }

    public void unregister(AsynchronousChannelGroup group, int fd) {
        ((Port) group).unregister(fd);
    }

    public void startPoll(AsynchronousChannelGroup group, int fd, int events) {
        ((Port) group).startPoll(fd, events);
    }

    public boolean hasFixedThreads(AsynchronousChannelGroup group) {
        return ((AsynchronousChannelGroupImpl) group).isFixedThreadPool();
    }

    /** Whether an operation with a handler is tried on this thread, as it starts it. */
    public boolean triesAtOnce(AsynchronousChannelGroup group) {
        return !hasFixedThreads(group)
                || Invoker.mayInvokeDirect(
                        Invoker.getGroupAndInvokeCount(), (AsynchronousChannelGroupImpl) group);
    }
}
