package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketImpl;
import java.net.SocketImplFactory;
import java.net.SocketOption;
import java.util.Set;

/**
 * Handles on {@code java.net}: the protected methods of {@link SocketImpl}, the JDK's own
 * implementations, and the fields that say which implementation and factory is in use.
 *
 * <p>Initialising this class fails when one is missing; it runs no code of {@code java.net}.
 */
final class SocketHandles {
    static final MethodHandle PLATFORM;
    static final MethodHandle SOCKS;
    static final MethodHandle CREATE;
    static final MethodHandle CONNECT;
    static final MethodHandle BIND;
    static final MethodHandle LISTEN;
    static final MethodHandle ACCEPT;
    static final MethodHandle INPUT;
    static final MethodHandle OUTPUT;
    static final MethodHandle AVAILABLE;
    static final MethodHandle CLOSE;
    static final MethodHandle SHUTDOWN_INPUT;
    static final MethodHandle SHUTDOWN_OUTPUT;
    static final MethodHandle DESCRIPTOR;
    static final MethodHandle INET_ADDRESS;
    static final MethodHandle PORT;
    static final MethodHandle LOCAL_PORT;
    static final MethodHandle SEND_URGENT;
    static final MethodHandle SET_OPTION;
    static final MethodHandle GET_OPTION;
    static final MethodHandle SUPPORTED_OPTIONS;

    static final MethodHandle IMPL_OF_SOCKET;
    static final MethodHandle IMPL_OF_SERVER;
    static final MethodHandle CLIENT_FACTORY;
    static final MethodHandle SERVER_FACTORY;
    static final MethodHandle SET_SERVER_FACTORY;

    static {
        try {
            MethodHandles.Lookup own = MethodHandles.lookup();
            MethodHandles.Lookup in = MethodHandles.privateLookupIn(SocketImpl.class, own);
            PLATFORM =
                    in.findStatic(
                            SocketImpl.class,
                            "createPlatformSocketImpl",
                            MethodType.methodType(SocketImpl.class, boolean.class));
            SOCKS =
                    in.findConstructor(
                                    in.findClass("java.net.SocksSocketImpl"),
                                    MethodType.methodType(void.class, SocketImpl.class))
                            .asType(MethodType.methodType(SocketImpl.class, SocketImpl.class));
            CREATE = method(in, "create", void.class, boolean.class);
            CONNECT = method(in, "connect", void.class, SocketAddress.class, int.class);
            BIND = method(in, "bind", void.class, InetAddress.class, int.class);
            LISTEN = method(in, "listen", void.class, int.class);
            ACCEPT = method(in, "accept", void.class, SocketImpl.class);
            INPUT = method(in, "getInputStream", InputStream.class);
            OUTPUT = method(in, "getOutputStream", OutputStream.class);
            AVAILABLE = method(in, "available", int.class);
            CLOSE = method(in, "close", void.class);
            SHUTDOWN_INPUT = method(in, "shutdownInput", void.class);
            SHUTDOWN_OUTPUT = method(in, "shutdownOutput", void.class);
            DESCRIPTOR = method(in, "getFileDescriptor", FileDescriptor.class);
            INET_ADDRESS = method(in, "getInetAddress", InetAddress.class);
            PORT = method(in, "getPort", int.class);
            LOCAL_PORT = method(in, "getLocalPort", int.class);
            SEND_URGENT = method(in, "sendUrgentData", void.class, int.class);
            SET_OPTION = method(in, "setOption", void.class, SocketOption.class, Object.class);
            GET_OPTION = method(in, "getOption", Object.class, SocketOption.class);
            SUPPORTED_OPTIONS = method(in, "supportedOptions", Set.class);
            MethodHandles.Lookup inSocket = MethodHandles.privateLookupIn(Socket.class, own);
            IMPL_OF_SOCKET = inSocket.findGetter(Socket.class, "impl", SocketImpl.class);
            CLIENT_FACTORY =
                    inSocket.findStaticGetter(Socket.class, "factory", SocketImplFactory.class);
            MethodHandles.Lookup inServer = MethodHandles.privateLookupIn(ServerSocket.class, own);
            IMPL_OF_SERVER = inServer.findGetter(ServerSocket.class, "impl", SocketImpl.class);
            SERVER_FACTORY =
                    inServer.findStaticGetter(
                            ServerSocket.class, "factory", SocketImplFactory.class);
            SET_SERVER_FACTORY =
                    inServer.findStaticSetter(
                            ServerSocket.class, "factory", SocketImplFactory.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private SocketHandles() {}

    private static MethodHandle method(
            MethodHandles.Lookup in, String name, Class<?> result, Class<?>... parameters)
            throws ReflectiveOperationException {
        return in.findVirtual(SocketImpl.class, name, MethodType.methodType(result, parameters));
    }

    /** The exception of a handle, as its callers may throw it. */
    static IOException rethrow(Throwable t) throws IOException {
        switch (t) {
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new AssertionError(t);
        }
    }
}
