package io.sdp4j.offload.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.lang.reflect.Proxy;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The port of a group of the JDK's own: what its threads wait in. They take descriptors of others
 * beside those of the JDK's channels, so that the thread that is woken is the one that calls the
 * handler.
 *
 * <p>The interface that is called back is hidden in {@code sun.nio.ch}; a proxy implements it.
 */
final class GroupPort implements KernelAsync.Watch {
    /** Looks everything up; in a class of its own so that a JDK without it can be told. */
    private static final class Handles {
        static final Class<?> PORT;
        static final Class<?> CHANNEL;
        static final MethodHandle REGISTER;
        static final MethodHandle UNREGISTER;
        static final MethodHandle START_POLL;
        static final MethodHandle FIXED;
        static final MethodHandle EPFD;
        static final MethodHandle CTL;

        static {
            try {
                Lookup own = MethodHandles.lookup();
                PORT = Class.forName("sun.nio.ch.Port", false, null);
                CHANNEL = Class.forName("sun.nio.ch.Port$PollableChannel", false, null);
                Lookup port = MethodHandles.privateLookupIn(PORT, own);
                REGISTER =
                        port.findVirtual(
                                        PORT,
                                        "register",
                                        MethodType.methodType(void.class, int.class, CHANNEL))
                                .asType(
                                        MethodType.methodType(
                                                void.class,
                                                AsynchronousChannelGroup.class,
                                                int.class,
                                                Object.class));
                UNREGISTER =
                        port.findVirtual(
                                        PORT,
                                        "unregister",
                                        MethodType.methodType(void.class, int.class))
                                .asType(
                                        MethodType.methodType(
                                                void.class,
                                                AsynchronousChannelGroup.class,
                                                int.class));
                START_POLL =
                        port.findVirtual(
                                        PORT,
                                        "startPoll",
                                        MethodType.methodType(void.class, int.class, int.class))
                                .asType(
                                        MethodType.methodType(
                                                void.class,
                                                AsynchronousChannelGroup.class,
                                                int.class,
                                                int.class));
                FIXED =
                        port.findVirtual(
                                        PORT,
                                        "isFixedThreadPool",
                                        MethodType.methodType(boolean.class))
                                .asType(
                                        MethodType.methodType(
                                                boolean.class, AsynchronousChannelGroup.class));
                Class<?> epollPort = Class.forName("sun.nio.ch.EPollPort", false, null);
                EPFD =
                        MethodHandles.privateLookupIn(epollPort, own)
                                .findGetter(epollPort, "epfd", int.class)
                                .asType(
                                        MethodType.methodType(
                                                int.class, AsynchronousChannelGroup.class));
                Class<?> epoll = Class.forName("sun.nio.ch.EPoll", false, null);
                CTL =
                        MethodHandles.privateLookupIn(epoll, own)
                                .findStatic(
                                        epoll,
                                        "ctl",
                                        MethodType.methodType(
                                                int.class, int.class, int.class, int.class,
                                                int.class));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Handles() {}
    }

    private static final class Tested {
        static final boolean USABLE = JdkBridge.problemOf(Handles.class).isEmpty();
    }

    private static final int CTL_DEL = 2;

    private final AsynchronousChannelGroup group;
    private final int descriptor;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile boolean polled;

    private GroupPort(AsynchronousChannelGroup group, int descriptor) {
        this.group = group;
        this.descriptor = descriptor;
    }

    /** See {@link KernelAsync#watch}. */
    static KernelAsync.Watch watch(
            AsynchronousChannelGroup group, int descriptor, KernelAsync.Watcher watcher) {
        if (!Tested.USABLE || !Handles.PORT.isInstance(group)) {
            return null;
        }
        try {
            Handles.REGISTER.invokeExact(group, descriptor, channel(watcher));
            return new GroupPort(group, descriptor);
        } catch (ShutdownChannelGroupException | IllegalArgumentException e) {
            return null; // terminating, or a JDK that makes no such proxy
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** Its methods are {@code onEvent(int, boolean)}, {@code close()} and those of every object. */
    private static Object channel(KernelAsync.Watcher watcher) {
        return Proxy.newProxyInstance(
                null,
                new Class<?>[] {Handles.CHANNEL},
                (proxy, method, args) -> {
                    switch (method.getName()) {
                        case "onEvent" -> watcher.readable((boolean) args[1]);
                        case "close" -> watcher.closeChannel();
                        case "equals" -> {
                            return proxy == args[0];
                        }
                        case "hashCode" -> {
                            return System.identityHashCode(proxy);
                        }
                        default -> {
                            return watcher.toString();
                        }
                    }
                    return null;
                });
    }

    @Override
    public void poll() {
        polled = true;
        try {
            Handles.START_POLL.invokeExact(group, descriptor, JdkBridge.POLLIN);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * A thread of the group that is told of a descriptor which the group does not know any more,
     * and together with it of a task or of shutdown, goes back to wait and leaves the latter to
     * another thread, which there may not be. So the kernel forgets the descriptor first; for a
     * thread that has been told already, a task of nothing makes it look once more. (The threads of
     * a group without a fixed number are told of no tasks.)
     */
    @Override
    public void end() {
        if (ended.getAndSet(true)) {
            return;
        }
        try {
            if (polled) {
                int _ = (int) Handles.CTL.invokeExact(epfd(), CTL_DEL, descriptor, 0);
            }
            Handles.UNREGISTER.invokeExact(group, descriptor);
            if (polled && (boolean) Handles.FIXED.invokeExact(group)) {
                ((Executor) group).execute(GroupPort::nothing);
            }
        } catch (RejectedExecutionException e) {
            // that was the last descriptor of a group that has been shut down
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static void nothing() {}

    private int epfd() throws Throwable {
        return (int) Handles.EPFD.invokeExact(group);
    }
}
