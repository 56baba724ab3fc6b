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

/** The JDK's own {@link SocketImpl}, genuine and complete, through handles. */
final class JdkKernelSocket extends KernelSocket {
    private final SocketImpl impl;

    private JdkKernelSocket(SocketImpl impl) {
        this.impl = impl;
    }

    static KernelSocket client(boolean proxies) {
        return client(platform(false), proxies);
    }

    static KernelSocket client(SocketImpl platform, boolean proxies) {
        if (!proxies) {
            return new JdkKernelSocket(platform);
        }
        try {
            return new JdkKernelSocket((SocketImpl) SocketHandles.SOCKS.invokeExact(platform));
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static KernelSocket server() {
        return new JdkKernelSocket(platform(true));
    }

    private static SocketImpl platform(boolean server) {
        try {
            return (SocketImpl) SocketHandles.PLATFORM.invokeExact(server);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @Override
    public void create() throws IOException {
        try {
            SocketHandles.CREATE.invokeExact(impl, true);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        try {
            SocketHandles.CONNECT.invokeExact(impl, remote, timeoutMillis);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void bind(InetAddress host, int port) throws IOException {
        try {
            SocketHandles.BIND.invokeExact(impl, host, port);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void listen(int backlog) throws IOException {
        try {
            SocketHandles.LISTEN.invokeExact(impl, backlog);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public KernelSocket accept() throws IOException {
        SocketImpl accepted = platform(false);
        try {
            SocketHandles.ACCEPT.invokeExact(impl, accepted);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
        return new JdkKernelSocket(accepted);
    }

    @Override
    public InputStream inputStream() throws IOException {
        try {
            return (InputStream) SocketHandles.INPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public OutputStream outputStream() throws IOException {
        try {
            return (OutputStream) SocketHandles.OUTPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public int available() throws IOException {
        try {
            return (int) SocketHandles.AVAILABLE.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            SocketHandles.CLOSE.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void shutdownInput() throws IOException {
        try {
            SocketHandles.SHUTDOWN_INPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        try {
            SocketHandles.SHUTDOWN_OUTPUT.invokeExact(impl);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        try {
            SocketHandles.SEND_URGENT.invokeExact(impl, data);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    public FileDescriptor fileDescriptor() {
        try {
            return (FileDescriptor) SocketHandles.DESCRIPTOR.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @Override
    public InetAddress inetAddress() {
        try {
            return (InetAddress) SocketHandles.INET_ADDRESS.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @Override
    public int port() {
        try {
            return (int) SocketHandles.PORT.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @Override
    public int localPort() {
        try {
            return (int) SocketHandles.LOCAL_PORT.invokeExact(impl);
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        impl.setOption(id, value);
    }

    @Override
    public Object option(int id) throws SocketException {
        return impl.getOption(id);
    }

    @Override
    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        try {
            SocketHandles.SET_OPTION.invokeExact(impl, (SocketOption<?>) name, (Object) value);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T option(SocketOption<T> name) throws IOException {
        try {
            return (T) (Object) SocketHandles.GET_OPTION.invokeExact(impl, (SocketOption<?>) name);
        } catch (Throwable t) {
            throw SocketHandles.rethrow(t);
        }
    }

    @Override
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
    public ListenWaiter waiter() throws IOException {
        return new EpollWaiter(fileDescriptor());
    }

    @Override
    public String toString() {
        return impl.toString();
    }
}
