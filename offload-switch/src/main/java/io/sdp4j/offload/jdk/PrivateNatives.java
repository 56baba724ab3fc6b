package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;

/**
 * Native methods that are private in {@code sun.nio.ch}. Initialising this class fails when one is
 * missing; handles are made at the first call, as many programs need none.
 */
public final class PrivateNatives {
    static {
        try {
            JdkClasses.require("sun.nio.ch.Net", "getIntOption0", "(Ljava/io/FileDescriptor;ZII)I");
            JdkClasses.require(
                    "sun.nio.ch.DatagramChannelImpl",
                    "disconnect0",
                    "(Ljava/io/FileDescriptor;Z)V");
            JdkClasses.require(
                    "sun.nio.ch.DatagramDispatcher",
                    "dup0",
                    "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;)V");
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Handles {
        static final MethodHandle INT_OPTION;
        static final MethodHandle DISCONNECT;
        static final MethodHandle DUP;

        static {
            try {
                INT_OPTION =
                        find(
                                "Net",
                                "getIntOption0",
                                int.class,
                                FileDescriptor.class,
                                boolean.class,
                                int.class,
                                int.class);
                DISCONNECT =
                        find(
                                "DatagramChannelImpl",
                                "disconnect0",
                                void.class,
                                FileDescriptor.class,
                                boolean.class);
                DUP =
                        find(
                                "DatagramDispatcher",
                                "dup0",
                                void.class,
                                FileDescriptor.class,
                                FileDescriptor.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        private Handles() {}

        private static MethodHandle find(
                String owner, String name, Class<?> result, Class<?>... parameters)
                throws ReflectiveOperationException {
            Lookup in = JdkBridge.in("sun.nio.ch." + owner);
            return in.findStatic(in.lookupClass(), name, MethodType.methodType(result, parameters));
        }
    }

    private PrivateNatives() {}

    /** {@code getsockopt} of an option that is a number. */
    static int option(FileDescriptor fd, int level, int option) throws IOException {
        try {
            return (int) Handles.INT_OPTION.invokeExact(fd, false, level, option);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code connect} to nothing; of any socket. */
    static void disconnect(FileDescriptor fd) throws IOException {
        try {
            Handles.DISCONNECT.invokeExact(fd, true);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /** {@code dup2}: what {@code over} stood for is closed, both stand for the same from now on. */
    public static void duplicate(FileDescriptor from, FileDescriptor over) throws IOException {
        try {
            Handles.DUP.invokeExact(from, over);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    private static IOException rethrow(Throwable t) throws IOException {
        switch (t) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError(t);
        }
    }
}
