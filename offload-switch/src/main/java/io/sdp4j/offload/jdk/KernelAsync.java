package io.sdp4j.offload.jdk;

import io.sdp4j.api.KernelSockets;
import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import sun.nio.ch.AsynchronousAccess;

/**
 * The JDK's own asynchronous channels, and facts about their groups that only the JDK knows: which
 * thread belongs to a group, how many handlers it has on its stack, and the timer. Thread-safe.
 *
 * <p>With {@code jdk}, access to the JDK's internals, handlers nest exactly as they do without us.
 * Without it, only public means are used: a handler is never called directly, which the API allows.
 * Public means are for the explicit API only. Behind an installed provider they would ask that
 * provider, so an agent without access leaves asynchronous channels on the kernel.
 *
 * <p>A group that is passed to a method must be one of {@link #provider}'s.
 */
public final class KernelAsync {
    private static AsynchronousChannelGroup publicGroup; // guarded by this class; never ends

    private final AsynchronousAccess jdk; // null = public means
    private final AsynchronousChannelProvider provider; // null = the public one

    private KernelAsync(AsynchronousAccess jdk) {
        this.jdk = jdk;
        this.provider = jdk == null ? null : jdk.provider();
    }

    /** Returns the best that this JVM allows; the answer stays the same. */
    public static KernelAsync best() {
        return Best.INSTANCE;
    }

    /**
     * Returns why there are only public means, as one sentence; empty with access to the internals.
     */
    public static Optional<String> problem() {
        return Best.PROBLEM;
    }

    private static final class Best {
        static final Optional<String> PROBLEM =
                JdkBridge.usable()
                        ? JdkBridge.problemOf(JdkClasses.Asynchronous.class)
                        : JdkBridge.selfTest();
        static final KernelAsync INSTANCE =
                new KernelAsync(PROBLEM.isEmpty() ? JdkClasses.Asynchronous.CHANNELS : null);
    }

    /** Returns the provider of kernel channels, which is never ours. */
    public AsynchronousChannelProvider provider() {
        return jdk == null ? AsynchronousChannelProvider.provider() : provider;
    }

    /** Opens a kernel channel; null = in the provider's default group. */
    public AsynchronousSocketChannel open(AsynchronousChannelGroup group) throws IOException {
        return jdk == null
                ? KernelSockets.<AsynchronousSocketChannel, IOException>call(
                        () -> provider().openAsynchronousSocketChannel(group))
                : provider.openAsynchronousSocketChannel(group);
    }

    /** Opens a listening kernel channel; null = in the provider's default group. */
    public AsynchronousServerSocketChannel openServer(AsynchronousChannelGroup group)
            throws IOException {
        return jdk == null
                ? KernelSockets.<AsynchronousServerSocketChannel, IOException>call(
                        () -> provider().openAsynchronousServerSocketChannel(group))
                : provider.openAsynchronousServerSocketChannel(group);
    }

    /** Returns the group of channels that are opened without one. */
    public AsynchronousChannelGroup defaultGroup() throws IOException {
        if (jdk == null) {
            return publicGroup();
        }
        // the JDK names its default group only through a channel in it
        try (AsynchronousSocketChannel member = provider.openAsynchronousSocketChannel(null)) {
            return jdk.groupOf(member);
        }
    }

    private static synchronized AsynchronousChannelGroup publicGroup() throws IOException {
        if (publicGroup == null) {
            publicGroup =
                    AsynchronousChannelGroup.withCachedThreadPool(
                            Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory()),
                            Runtime.getRuntime().availableProcessors());
        }
        return publicGroup;
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
        return jdk != null && jdk.invokeDirect(group, handler, attachment, value, failure);
    }

    /** Whether an operation with a handler is tried on this thread, as it starts it. */
    public boolean triesAtOnce(AsynchronousChannelGroup group) {
        return jdk == null || jdk.triesAtOnce(group);
    }

    /** Notes that a task of the group has begun, which will call one handler. */
    public void taskBegins() {
        if (jdk != null) {
            jdk.countOneHandler();
        }
    }

    /**
     * Runs a task later on the group's timer; the task must not block.
     *
     * @return null if the group is about to terminate
     */
    public Future<?> schedule(
            AsynchronousChannelGroup group, Runnable task, long timeout, TimeUnit unit) {
        return jdk == null
                ? Timer.INSTANCE.schedule(task, timeout, unit)
                : jdk.schedule(group, task, timeout, unit);
    }

    private static final class Timer {
        static final ScheduledThreadPoolExecutor INSTANCE =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().daemon().name("sdp4j-timer").factory());

        static {
            INSTANCE.setRemoveOnCancelPolicy(true);
        }
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
        return jdk == null ? null : GroupPort.watch(group, descriptor, watcher);
    }

    /** Runs a task on a thread of the group. */
    public void execute(AsynchronousChannelGroup group, Runnable task) {
        ((Executor) group).execute(task); // each group of the JDK's or an agent's is an Executor
    }
}
