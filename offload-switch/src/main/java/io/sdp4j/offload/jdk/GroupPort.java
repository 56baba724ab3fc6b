package io.sdp4j.offload.jdk;

import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.VarHandle;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import sun.nio.ch.AsynchronousAccess;

/**
 * A descriptor that the threads of a group of the JDK's own watch in their port, beside the
 * descriptors of the JDK's channels. So the thread that is woken is the one that calls the handler.
 * Thread-safe.
 */
public final class GroupPort {
    /** Looks everything up. A class of its own, so that a failure in another JDK can be caught. */
    private static final class Handles {
        static final VarHandle EPFD;

        static {
            try {
                Lookup port = JdkBridge.in("sun.nio.ch.EPollPort");
                EPFD = port.findVarHandle(port.lookupClass(), "epfd", int.class);
                Lookup any = JdkBridge.in("sun.nio.ch.Port"); // what AsynchronousAccess uses
                VarHandle _ =
                        any.findVarHandle(
                                any.lookupClass(), "fdToChannelLock", ReadWriteLock.class);
                VarHandle _ = any.findVarHandle(any.lookupClass(), "fdToChannel", Map.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Handles() {}
    }

    private static final class Tested {
        static final boolean USABLE = JdkBridge.problemOf(Handles.class).isEmpty();
    }

    private final AsynchronousChannelGroup group;
    private final int descriptor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean polled;

    private GroupPort(AsynchronousChannelGroup group, int descriptor) {
        this.group = group;
        this.descriptor = descriptor;
    }

    /** See {@link KernelAsync#watch}. */
    static GroupPort watch(
            AsynchronousChannelGroup group, int descriptor, KernelAsync.Watcher watcher) {
        try {
            return Tested.USABLE
                            && JdkClasses.Asynchronous.CHANNELS.register(
                                    group, descriptor, new Told(watcher))
                    ? new GroupPort(group, descriptor)
                    : null;
        } catch (ShutdownChannelGroupException e) {
            return null;
        }
    }

    private static final class Told extends AsynchronousAccess.Watcher {
        private final KernelAsync.Watcher watcher;

        Told(KernelAsync.Watcher watcher) {
            this.watcher = watcher;
        }

        @Override
        public void onEvent(int events, boolean direct) {
            watcher.readable(direct);
        }

        @Override
        public void close() {
            watcher.closeChannel();
        }
    }

    /**
     * Asks for one call of {@link KernelAsync.Watcher#readable}, as soon as the descriptor is
     * readable.
     */
    public void poll() {
        polled = true;
        JdkClasses.Asynchronous.CHANNELS.startPoll(group, descriptor, JdkBridge.POLLIN);
    }

    /**
     * Ends the watch; to be called before the descriptor is closed. Idempotent.
     *
     * <p>A thread of the group may be told at once of this descriptor and of a task or of shutdown.
     * If the group does not know the descriptor any more, that thread goes back to wait and leaves
     * the task or shutdown to another thread, which may not exist. So the kernel forgets the
     * descriptor first. For a thread that has been told already, an empty task makes it look once
     * more. (The threads of a group without a fixed number are not told of tasks.)
     */
    public void end() {
        if (ended.getAndSet(true)) {
            return;
        }
        try {
            if (polled) {
                JdkClasses.CHANNELS.epollRemove((int) Handles.EPFD.get(group), descriptor);
            }
            JdkClasses.Asynchronous.CHANNELS.unregister(group, descriptor);
            if (polled && JdkClasses.Asynchronous.CHANNELS.hasFixedThreads(group)) {
                ((Executor) group).execute(() -> {});
            }
        } catch (RejectedExecutionException e) {
            // this was the last descriptor of a group that has been shut down
        }
    }
}
