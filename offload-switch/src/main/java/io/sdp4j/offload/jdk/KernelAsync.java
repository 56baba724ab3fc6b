package io.sdp4j.offload.jdk;

import io.sdp4j.api.KernelSockets;
import java.io.IOException;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The JDK's own asynchronous channels, and what only the JDK knows about their groups: which thread
 * belongs to one, how many handlers it has on its stack, and the timer. Thread-safe.
 *
 * <p>A group given to a method is one of {@link #provider}'s.
 */
public abstract sealed class KernelAsync {
    private KernelAsync() {}

    /** The best that this JVM allows; the answer stays. */
    public static KernelAsync best() {
        return Best.INSTANCE;
    }

    private static final class Best {
        static final KernelAsync INSTANCE = find();

        private static KernelAsync find() {
            return JdkBridge.usable()
                            && JdkBridge.problemOf(JdkClasses.Asynchronous.class).isEmpty()
                    ? new Jdk()
                    : new Public();
        }
    }

    /** The provider of kernel channels; never ours. */
    public abstract AsynchronousChannelProvider provider();

    /** A kernel channel; null = in the provider's default group. */
    public AsynchronousSocketChannel open(AsynchronousChannelGroup group) throws IOException {
        return provider().openAsynchronousSocketChannel(group);
    }

    /** A listening kernel channel. */
    public AsynchronousServerSocketChannel openServer(AsynchronousChannelGroup group)
            throws IOException {
        return provider().openAsynchronousServerSocketChannel(group);
    }

    /** The group of channels that are opened without one. */
    public abstract AsynchronousChannelGroup defaultGroup() throws IOException;

    /**
     * Calls a handler on this thread if that belongs to the group and has not too many handlers on
     * its stack, as the JDK counts them.
     *
     * @return whether it did
     */
    public abstract <V, A> boolean invokeDirect(
            AsynchronousChannelGroup group,
            CompletionHandler<V, ? super A> handler,
            A attachment,
            V value,
            Throwable failure);

    /** Notes that a task of the group has begun, which will call one handler. */
    public abstract void taskBegins();

    /**
     * Runs a task later on the group's timer, which must not block.
     *
     * @return null if the group is about to terminate
     */
    public abstract Future<?> schedule(
            AsynchronousChannelGroup group, Runnable task, long timeout, TimeUnit unit);

    /** Told by a group's own threads about a descriptor that they watch. */
    public interface Watcher {
        /**
         * The descriptor is readable. On a thread of the group.
         *
         * @param direct whether a handler may be called on this thread
         */
        void readable(boolean direct);

        /** The group closes everything in it. */
        void closeChannel();
    }

    /**
     * Has the threads of the group watch a descriptor beside those of its channels. As long as it
     * is watched the group does not terminate.
     *
     * @return null if they cannot, or the group is about to terminate
     */
    public GroupPort watch(AsynchronousChannelGroup group, int descriptor, Watcher watcher) {
        return null;
    }

    /** Runs a task on a thread of the group. */
    public void execute(AsynchronousChannelGroup group, Runnable task) {
        ((Executor) group).execute(task); // every group of the JDK's own is one, and an agent's
    }

    /** With the JDK's own means: handlers nest exactly as they do without us. */
    private static final class Jdk extends KernelAsync {
        private final AsynchronousChannelProvider provider =
                JdkClasses.Asynchronous.CHANNELS.provider();

        @Override
        public AsynchronousChannelProvider provider() {
            return provider;
        }

        /** The JDK names its default group only through a channel in it. */
        @Override
        public AsynchronousChannelGroup defaultGroup() throws IOException {
            try (AsynchronousSocketChannel member = provider.openAsynchronousSocketChannel(null)) {
                return JdkClasses.Asynchronous.CHANNELS.groupOf(member);
            }
        }

        @Override
        public <V, A> boolean invokeDirect(
                AsynchronousChannelGroup group,
                CompletionHandler<V, ? super A> handler,
                A attachment,
                V value,
                Throwable failure) {
            return JdkClasses.Asynchronous.CHANNELS.invokeDirect(
                    group, handler, attachment, value, failure);
        }

        @Override
        public void taskBegins() {
            JdkClasses.Asynchronous.CHANNELS.countOneHandler();
        }

        @Override
        public Future<?> schedule(
                AsynchronousChannelGroup group, Runnable task, long timeout, TimeUnit unit) {
            return JdkClasses.Asynchronous.CHANNELS.schedule(group, task, timeout, unit);
        }

        @Override
        public GroupPort watch(AsynchronousChannelGroup group, int descriptor, Watcher watcher) {
            return GroupPort.watch(group, descriptor, watcher);
        }
    }

    /**
     * With public means: a handler is never called directly, which the API allows. For the explicit
     * API; never behind an installed provider, which would ask itself. An agent's leaves the
     * channels on the kernel.
     */
    private static final class Public extends KernelAsync {
        private static AsynchronousChannelGroup defaultGroup; // guarded by this class; never ends

        private static final class Timer {
            static final ScheduledThreadPoolExecutor INSTANCE = start();

            private static ScheduledThreadPoolExecutor start() {
                ScheduledThreadPoolExecutor timer =
                        new ScheduledThreadPoolExecutor(
                                1, Thread.ofPlatform().daemon().name("sdp4j-timer").factory());
                timer.setRemoveOnCancelPolicy(true);
                return timer;
            }
        }

        @Override
        public AsynchronousChannelProvider provider() {
            return AsynchronousChannelProvider.provider();
        }

        @Override
        public AsynchronousSocketChannel open(AsynchronousChannelGroup group) throws IOException {
            return KernelSockets.<AsynchronousSocketChannel, IOException>call(
                    () -> super.open(group));
        }

        @Override
        public AsynchronousServerSocketChannel openServer(AsynchronousChannelGroup group)
                throws IOException {
            return KernelSockets.<AsynchronousServerSocketChannel, IOException>call(
                    () -> super.openServer(group));
        }

        @Override
        public AsynchronousChannelGroup defaultGroup() throws IOException {
            synchronized (Public.class) {
                if (defaultGroup == null) {
                    defaultGroup =
                            AsynchronousChannelGroup.withCachedThreadPool(
                                    Executors.newCachedThreadPool(
                                            Thread.ofPlatform().daemon().factory()),
                                    Runtime.getRuntime().availableProcessors());
                }
                return defaultGroup;
            }
        }

        @Override
        public <V, A> boolean invokeDirect(
                AsynchronousChannelGroup group,
                CompletionHandler<V, ? super A> handler,
                A attachment,
                V value,
                Throwable failure) {
            return false;
        }

        @Override
        public void taskBegins() {}

        @Override
        public Future<?> schedule(
                AsynchronousChannelGroup group, Runnable task, long timeout, TimeUnit unit) {
            return Timer.INSTANCE.schedule(task, timeout, unit);
        }
    }
}
