package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketImplAccess;
import java.net.SocketOption;
import java.util.Set;

/** The JDK's own {@link SocketImpl}, genuine and complete. */
final class JdkKernelSocket extends KernelSocket {
    private static final SocketImplAccess ACCESS = JdkClasses.SOCKETS;

    private final SocketImpl impl;

    JdkKernelSocket(SocketImpl impl) {
        this.impl = impl;
    }

    static SocketImpl platform(boolean server) {
        return ACCESS.platform(server);
    }

    static SocketImpl behindProxies(SocketImpl platform) {
        return ACCESS.behindProxies(platform);
    }

    @Override
    public void create() throws IOException {
        ACCESS.create(impl);
    }

    @Override
    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        ACCESS.connect(impl, remote, timeoutMillis);
    }

    @Override
    public void bind(InetAddress host, int port) throws IOException {
        ACCESS.bind(impl, host, port);
    }

    @Override
    public void listen(int backlog) throws IOException {
        ACCESS.listen(impl, backlog);
    }

    @Override
    public KernelSocket accept() throws IOException {
        SocketImpl accepted = platform(false);
        ACCESS.accept(impl, accepted);
        return new JdkKernelSocket(accepted);
    }

    @Override
    public InputStream inputStream() throws IOException {
        return ACCESS.input(impl);
    }

    @Override
    public OutputStream outputStream() throws IOException {
        return ACCESS.output(impl);
    }

    @Override
    public int read(InputStream in, byte[] b, int off, int len) throws IOException {
        return ACCESS.read(in, b, off, len);
    }

    @Override
    public void write(OutputStream out, byte[] b, int off, int len) throws IOException {
        ACCESS.write(out, b, off, len);
    }

    @Override
    public int available() throws IOException {
        return ACCESS.available(impl);
    }

    @Override
    public void close() throws IOException {
        ACCESS.close(impl);
    }

    @Override
    public void shutdownInput() throws IOException {
        ACCESS.shutdownInput(impl);
    }

    @Override
    public void shutdownOutput() throws IOException {
        ACCESS.shutdownOutput(impl);
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        ACCESS.sendUrgentData(impl, data);
    }

    @Override
    public FileDescriptor fileDescriptor() {
        return ACCESS.descriptor(impl);
    }

    @Override
    public InetAddress inetAddress() {
        return ACCESS.inetAddress(impl);
    }

    @Override
    public int port() {
        return ACCESS.port(impl);
    }

    @Override
    public int localPort() {
        return ACCESS.localPort(impl);
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
        ACCESS.setOption(impl, name, value);
    }

    @Override
    public <T> T option(SocketOption<T> name) throws IOException {
        return ACCESS.option(impl, name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return ACCESS.supportedOptions(impl);
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
