package io.sdp4j.offload.jdk;

import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import sun.nio.ch.AsynchronousAccess;

/**
 * The JDK's own asynchronous channels, and facts about their groups that only the JDK knows: which
 * thread belongs to a group, how many handlers it has on its stack, and the timer. So handlers nest
 * exactly as they do without us. Thread-safe.
 *
 * <p>Ask {@link #problem} before anything else. A group that is passed to a method must be one of
 * {@link #provider}'s.
 */
public final class KernelAsync {
    private final AsynchronousAccess jdk = JdkClasses.Asynchronous.CHANNELS;
    private final AsynchronousChannelProvider provider = jdk.provider();

    private KernelAsync() {}

    /** Returns the only one. There must be no {@link #problem}. */
    public static KernelAsync get() {
        return Only.INSTANCE;
    }

    /**
     * Looks up everything that asynchronous channels need from the JDK, once.
     *
     * @return why they cannot be switched, as one sentence; empty when they can
     */
    public static Optional<String> problem() {
        return Tested.PROBLEM;
    }

    private static final class Tested {
        static final Optional<String> PROBLEM =
                JdkBridge.usable()
                        ? JdkBridge.problemOf(JdkClasses.Asynchronous.class)
                        : JdkBridge.selfTest();
    }

    private static final class Only {
        static final KernelAsync INSTANCE = new KernelAsync();
    }

    /** Returns the provider of kernel channels, which is never ours. */
    public AsynchronousChannelProvider provider() {
        return provider;
    }

    /** Opens a kernel channel; null = in the provider's default group. */
    public AsynchronousSocketChannel open(AsynchronousChannelGroup group) throws IOException {
        return provider.openAsynchronousSocketChannel(group);
    }

    /** Opens a listening kernel channel; null = in the provider's default group. */
    public AsynchronousServerSocketChannel openServer(AsynchronousChannelGroup group)
            throws IOException {
        return provider.openAsynchronousServerSocketChannel(group);
    }

    /** Returns the group of channels that are opened without one. */
    public AsynchronousChannelGroup defaultGroup() throws IOException {
        // the JDK names its default group only through a channel in it
        try (AsynchronousSocketChannel member = provider.openAsynchronousSocketChannel(null)) {
            return jdk.groupOf(member);
        }
    }

    /**
     * Calls a handler on this thread if the thread belongs to the group and does not have too many
     * handlers on its stack, as the JDK counts them.
     *
     * @return whether the handler was called
     */
    public <V, A> boolean invokeDirect(
            AsynchronousChannelGroup group,
            CompletionHandler<V, ? super A> handler,
            A attachment,
            V value,
            Throwable failure) {
        return jdk.invokeDirect(group, handler, attachment, value, failure);
    }

    /** Whether an operation with a handler is tried on this thread, as it starts it. */
    public boolean triesAtOnce(AsynchronousChannelGroup group) {
        return jdk.triesAtOnce(group);
    }

    /** Notes that a task of the group has begun, which will call one handler. */
    public void taskBegins() {
        jdk.countOneHandler();
    }

    /**
     * Runs a task later on the group's timer; the task must not block.
     *
     * @return null if the group is about to terminate
     */
    public Future<?> schedule(
            AsynchronousChannelGroup group, Runnable task, long timeout, TimeUnit unit) {
        return jdk.schedule(group, task, timeout, unit);
    }

    /** Is told by a group's own threads about a descriptor that they watch. */
    public interface Watcher {
        /**
         * Called on a thread of the group when the descriptor is readable.
         *
         * @param direct whether a handler may be called on this thread
         */
        void readable(boolean direct);

        /** Called when the group closes everything in it. */
        void closeChannel();
    }

    /**
     * Has the threads of the group watch a descriptor beside those of its channels. The group does
     * not terminate while the descriptor is watched.
     *
     * @return null if the threads cannot watch it, or the group is about to terminate
     */
    public GroupPort watch(AsynchronousChannelGroup group, int descriptor, Watcher watcher) {
        return GroupPort.watch(group, descriptor, watcher);
    }

    /** Runs a task on a thread of the group. */
    public void execute(AsynchronousChannelGroup group, Runnable task) {
        ((Executor) group).execute(task); // each group of the JDK's or an agent's is an Executor
    }
}
