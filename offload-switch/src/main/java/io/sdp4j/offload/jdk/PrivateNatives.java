package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.invoke.MethodType;

/**
 * Calls native methods that are private in {@code sun.nio.ch}. Initialising this class fails when
 * one is missing. The handles are made at the first call, as many programs need none.
 */
public final class PrivateNatives {
    private static final String NET = "sun.nio.ch.Net";
    private static final String CHANNEL = "sun.nio.ch.DatagramChannelImpl";
    private static final String DISPATCHER = "sun.nio.ch.DatagramDispatcher";
    private static final String OPTION_TYPE = "(Ljava/io/FileDescriptor;ZII)I";
    private static final String DISCONNECT_TYPE = "(Ljava/io/FileDescriptor;Z)V";
    private static final String DUP_TYPE = "(Ljava/io/FileDescriptor;Ljava/io/FileDescriptor;)V";

    static {
        try {
            JdkClasses.require(NET, "getIntOption0", OPTION_TYPE);
            JdkClasses.require(CHANNEL, "disconnect0", DISCONNECT_TYPE);
            JdkClasses.require(DISPATCHER, "dup0", DUP_TYPE);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final class Handles {
        static final MethodHandle INT_OPTION = find(NET, "getIntOption0", OPTION_TYPE);
        static final MethodHandle DISCONNECT = find(CHANNEL, "disconnect0", DISCONNECT_TYPE);
        static final MethodHandle DUP = find(DISPATCHER, "dup0", DUP_TYPE);

        private Handles() {}

        private static MethodHandle find(String owner, String name, String type) {
            try {
                Lookup in = JdkBridge.in(owner);
                return in.findStatic(
                        in.lookupClass(), name, MethodType.fromMethodDescriptorString(type, null));
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }
    }

    private PrivateNatives() {}

    /** Calls {@code getsockopt} for an option whose value is an int. */
    static int option(FileDescriptor fd, int level, int option) throws IOException {
        try {
            return (int) Handles.INT_OPTION.invokeExact(fd, false, level, option);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * Calls {@code connect} with {@code AF_UNSPEC}, which dissolves the connection of any socket.
     */
    static void disconnect(FileDescriptor fd) throws IOException {
        try {
            Handles.DISCONNECT.invokeExact(fd, true);
        } catch (Throwable t) {
            throw rethrow(t);
        }
    }

    /**
     * Calls {@code dup2}: closes the file behind {@code over}, which stands for that of {@code
     * from} from now on.
     */
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
