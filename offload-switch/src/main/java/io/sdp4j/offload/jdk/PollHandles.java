package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.util.function.BooleanSupplier;

/**
 * Handles on {@code sun.nio.ch}: epoll, eventfd, and the two ways in which the JDK's sockets wait
 * for a descriptor.
 *
 * <p>Initialising this class fails when one is missing; it loads no native library, that happens at
 * the first call.
 */
final class PollHandles {
    /** {@code Net.poll(FileDescriptor, int events, long millis)}; for platform threads. */
    static final MethodHandle NET_POLL;

    /** {@code Poller.poll(int fd, int event, long nanos, BooleanSupplier open)}; parks. */
    static final MethodHandle POLLER_POLL;

    /** {@code Net.getIntOption0(FileDescriptor, boolean convert, int level, int option)}. */
    static final MethodHandle INT_OPTION;

    /** {@code DatagramChannelImpl.disconnect0(FileDescriptor, boolean ip6)}, of any socket. */
    static final MethodHandle DISCONNECT;

    static final MethodHandle EPOLL_CREATE;
    static final MethodHandle EPOLL_CTL;
    static final MethodHandle NEW_DESCRIPTOR;
    static final MethodHandle DESCRIPTOR_VALUE;
    static final MethodHandle CLOSE_DESCRIPTOR;
    static final MethodHandle EVENT_NEW;
    static final MethodHandle EVENT_DESCRIPTOR;
    static final MethodHandle EVENT_SET;
    static final MethodHandle EVENT_CLOSE;

    static {
        try {
            Lookup own = MethodHandles.lookup();
            Lookup net = in(own, "sun.nio.ch.Net");
            NET_POLL = fixed(net, "poll", int.class, FileDescriptor.class, int.class, long.class);
            INT_OPTION =
                    fixed(
                            net,
                            "getIntOption0",
                            int.class,
                            FileDescriptor.class,
                            boolean.class,
                            int.class,
                            int.class);
            POLLER_POLL =
                    fixed(
                            in(own, "sun.nio.ch.Poller"),
                            "poll",
                            void.class,
                            int.class,
                            int.class,
                            long.class,
                            BooleanSupplier.class);
            DISCONNECT =
                    fixed(
                            in(own, "sun.nio.ch.DatagramChannelImpl"),
                            "disconnect0",
                            void.class,
                            FileDescriptor.class,
                            boolean.class);
            Lookup epoll = in(own, "sun.nio.ch.EPoll");
            EPOLL_CREATE = fixed(epoll, "create", int.class);
            EPOLL_CTL = fixed(epoll, "ctl", int.class, int.class, int.class, int.class, int.class);
            Lookup util = in(own, "sun.nio.ch.IOUtil");
            NEW_DESCRIPTOR = fixed(util, "newFD", FileDescriptor.class, int.class);
            DESCRIPTOR_VALUE = fixed(util, "fdVal", int.class, FileDescriptor.class);
            CLOSE_DESCRIPTOR =
                    fixed(
                            in(own, "sun.nio.ch.FileDispatcherImpl"),
                            "closeIntFD",
                            void.class,
                            int.class);
            Lookup event = in(own, "sun.nio.ch.EventFD");
            Class<?> eventFd = event.lookupClass();
            EVENT_NEW =
                    event.findConstructor(eventFd, MethodType.methodType(void.class))
                            .asType(MethodType.methodType(Object.class));
            EVENT_DESCRIPTOR = ofEvent(event, "efd", int.class);
            EVENT_SET = ofEvent(event, "set", void.class);
            EVENT_CLOSE = ofEvent(event, "close", void.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private PollHandles() {}

    static Lookup in(Lookup own, String className) throws ReflectiveOperationException {
        return MethodHandles.privateLookupIn(Class.forName(className, false, null), own);
    }

    static MethodHandle fixed(Lookup in, String name, Class<?> result, Class<?>... parameters)
            throws ReflectiveOperationException {
        return in.findStatic(in.lookupClass(), name, MethodType.methodType(result, parameters));
    }

    private static MethodHandle ofEvent(Lookup event, String name, Class<?> result)
            throws ReflectiveOperationException {
        return event.findVirtual(event.lookupClass(), name, MethodType.methodType(result))
                .asType(MethodType.methodType(result, Object.class));
    }
}
