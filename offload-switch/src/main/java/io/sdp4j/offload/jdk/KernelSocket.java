package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.util.Set;

/**
 * The JDK's own socket implementation, genuine and complete: the kernel side of a switched socket.
 *
 * <p>Every method does what the method of the same name in {@link SocketImpl} does, with its
 * exceptions and its thread-safety.
 */
public final class KernelSocket {
    private final SocketImpl impl;

    private KernelSocket(SocketImpl impl) {
        this.impl = impl;
    }

    /**
     * Not yet created.
     *
     * @param proxies whether {@code connect} asks the {@code ProxySelector} and honours {@code
     *     socksProxyHost}, as {@code new Socket()} does
     */
    public static KernelSocket client(boolean proxies) {
        SocketImpl platform = platform(false);
        if (!proxies) {
            return new KernelSocket(platform);
        }
        try {
            return new KernelSocket((SocketImpl) SocketHandles.SOCKS.invokeExact(platform));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** A listener, not yet created. */
    public static KernelSocket server() {
        return new KernelSocket(platform(true));
    }

    private static SocketImpl platform(boolean server) {
        try {
            return (SocketImpl) SocketHandles.PLATFORM.invokeExact(server);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public void create() throws IOException {
        try {
            SocketHandles.CREATE.invokeExact(impl, true);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        try {
            SocketHandles.CONNECT.invokeExact(impl, remote, timeoutMillis);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void bind(InetAddress host, int port) throws IOException {
        try {
            SocketHandles.BIND.invokeExact(impl, host, port);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void listen(int backlog) throws IOException {
        try {
            SocketHandles.LISTEN.invokeExact(impl, backlog);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    /** Accepts as a genuine JDK socket; blocks up to this socket's SO_TIMEOUT. */
    public KernelSocket accept() throws IOException {
        SocketImpl accepted = platform(false);
        try {
            SocketHandles.ACCEPT.invokeExact(impl, accepted);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
        return new KernelSocket(accepted);
    }

    public InputStream inputStream() throws IOException {
        try {
            return (InputStream) SocketHandles.INPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public OutputStream outputStream() throws IOException {
        try {
            return (OutputStream) SocketHandles.OUTPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public int available() throws IOException {
        try {
            return (int) SocketHandles.AVAILABLE.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void close() throws IOException {
        try {
            SocketHandles.CLOSE.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void shutdownInput() throws IOException {
        try {
            SocketHandles.SHUTDOWN_INPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void shutdownOutput() throws IOException {
        try {
            SocketHandles.SHUTDOWN_OUTPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public void sendUrgentData(int data) throws IOException {
        try {
            SocketHandles.SEND_URGENT.invokeExact(impl, data);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    public FileDescriptor fileDescriptor() {
        try {
            return (FileDescriptor) SocketHandles.DESCRIPTOR.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public InetAddress inetAddress() {
        try {
            return (InetAddress) SocketHandles.INET_ADDRESS.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public int port() {
        try {
            return (int) SocketHandles.PORT.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public int localPort() {
        try {
            return (int) SocketHandles.LOCAL_PORT.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public void setOption(int id, Object value) throws SocketException {
        impl.setOption(id, value);
    }

    public Object option(int id) throws SocketException {
        return impl.getOption(id);
    }

    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        try {
            SocketHandles.SET_OPTION.invokeExact(impl, (SocketOption<?>) name, (Object) value);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @SuppressWarnings("unchecked")
    public <T> T option(SocketOption<T> name) throws IOException {
        try {
            return (T) (Object) SocketHandles.GET_OPTION.invokeExact(impl, (SocketOption<?>) name);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    /** Works before {@link #create} too. */
    @SuppressWarnings("unchecked")
    public Set<SocketOption<?>> supportedOptions() {
        try {
            return (Set<SocketOption<?>>)
                    (Set<?>) SocketHandles.SUPPORTED_OPTIONS.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @Override
    public String toString() {
        return impl.toString();
    }
}
