package io.sdp4j.offload.jdk;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Handles on the asynchronous channels of {@code sun.nio.ch}: the JDK's own provider, and what its
 * groups know about their threads and timers.
 *
 * <p>Initialising this class fails when one is missing; it starts no thread and opens no
 * descriptor.
 */
final class AsyncHandles {
    /** A new provider of the JDK's own; all of them share one default group. */
    static final MethodHandle PROVIDER;

    /** The group of a channel of the JDK's own. */
    static final MethodHandle GROUP_OF;

    /** The calling thread's group and its count of handlers on the stack, or null. */
    static final MethodHandle CONTEXT;

    static final MethodHandle MAY_INVOKE_DIRECT;
    static final MethodHandle INVOKE_DIRECT;
    static final MethodHandle SET_INVOKE_COUNT;
    static final MethodHandle SCHEDULE;

    static {
        try {
            Lookup own = MethodHandles.lookup();
            Lookup defaults = in(own, "DefaultAsynchronousChannelProvider");
            PROVIDER =
                    defaults.findStatic(
                            defaults.lookupClass(),
                            "create",
                            MethodType.methodType(AsynchronousChannelProvider.class));
            Lookup group = in(own, "AsynchronousChannelGroupImpl");
            Lookup groupable = in(own, "Groupable");
            GROUP_OF =
                    groupable
                            .findVirtual(
                                    groupable.lookupClass(),
                                    "group",
                                    MethodType.methodType(group.lookupClass()))
                            .asType(
                                    MethodType.methodType(
                                            AsynchronousChannelGroup.class,
                                            AsynchronousSocketChannel.class));
            SCHEDULE =
                    group.findVirtual(
                                    group.lookupClass(),
                                    "schedule",
                                    MethodType.methodType(
                                            Future.class,
                                            Runnable.class,
                                            long.class,
                                            TimeUnit.class))
                            .asType(
                                    MethodType.methodType(
                                            Future.class,
                                            AsynchronousChannelGroup.class,
                                            Runnable.class,
                                            long.class,
                                            TimeUnit.class));
            Lookup invoker = in(own, "Invoker");
            Lookup count = in(own, "Invoker$GroupAndInvokeCount");
            CONTEXT =
                    invoker.findStatic(
                                    invoker.lookupClass(),
                                    "getGroupAndInvokeCount",
                                    MethodType.methodType(count.lookupClass()))
                            .asType(MethodType.methodType(Object.class));
            MAY_INVOKE_DIRECT =
                    invoker.findStatic(
                                    invoker.lookupClass(),
                                    "mayInvokeDirect",
                                    MethodType.methodType(
                                            boolean.class,
                                            count.lookupClass(),
                                            group.lookupClass()))
                            .asType(
                                    MethodType.methodType(
                                            boolean.class,
                                            Object.class,
                                            AsynchronousChannelGroup.class));
            INVOKE_DIRECT =
                    invoker.findStatic(
                                    invoker.lookupClass(),
                                    "invokeDirect",
                                    MethodType.methodType(
                                            void.class,
                                            count.lookupClass(),
                                            CompletionHandler.class,
                                            Object.class,
                                            Object.class,
                                            Throwable.class))
                            .asType(
                                    MethodType.methodType(
                                            void.class,
                                            Object.class,
                                            CompletionHandler.class,
                                            Object.class,
                                            Object.class,
                                            Throwable.class));
            SET_INVOKE_COUNT =
                    count.findVirtual(
                                    count.lookupClass(),
                                    "setInvokeCount",
                                    MethodType.methodType(void.class, int.class))
                            .asType(MethodType.methodType(void.class, Object.class, int.class));
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private AsyncHandles() {}

    private static Lookup in(Lookup own, String name) throws ReflectiveOperationException {
        return MethodHandles.privateLookupIn(Class.forName("sun.nio.ch." + name, false, null), own);
    }
}
