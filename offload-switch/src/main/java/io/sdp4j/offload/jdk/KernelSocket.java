package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.util.Set;

/**
 * The kernel side of a switched socket: the JDK's own {@link SocketImpl}, genuine and complete.
 *
 * <p>Every method does what the method of that name in {@link SocketImpl} does, with the same
 * exceptions and the same thread-safety. A new socket has to be created first; an accepted one is
 * connected.
 */
public final class KernelSocket {
    private final SocketImpl impl;

    private KernelSocket(SocketImpl impl) {
        this.impl = impl;
    }

    /**
     * Makes a socket that can connect.
     *
     * @param proxies whether {@code connect} asks the {@code ProxySelector} and honours {@code
     *     socksProxyHost}, as {@code new Socket()} does
     */
    public static KernelSocket client(boolean proxies) {
        return client(JdkClasses.SOCKETS.platform(false), proxies);
    }

    /** Makes such a socket on top of an existing implementation of the JDK's. */
    public static KernelSocket client(SocketImpl platform, boolean proxies) {
        return new KernelSocket(proxies ? JdkClasses.SOCKETS.behindProxies(platform) : platform);
    }

    public static KernelSocket server() {
        return server(JdkClasses.SOCKETS.platform(true));
    }

    /** Makes a listener on top of an existing implementation of the JDK's. */
    public static KernelSocket server(SocketImpl platform) {
        return new KernelSocket(platform);
    }

    public void create() throws IOException {
        JdkClasses.SOCKETS.create(impl);
    }

    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        JdkClasses.SOCKETS.connect(impl, remote, timeoutMillis);
    }

    public void bind(InetAddress host, int port) throws IOException {
        JdkClasses.SOCKETS.bind(impl, host, port);
    }

    public void listen(int backlog) throws IOException {
        JdkClasses.SOCKETS.listen(impl, backlog);
    }

    /** Accepts; blocks up to this socket's SO_TIMEOUT. */
    public KernelSocket accept() throws IOException {
        SocketImpl accepted = JdkClasses.SOCKETS.platform(false);
        JdkClasses.SOCKETS.accept(impl, accepted);
        return new KernelSocket(accepted);
    }

    /**
     * Makes a waiter for a connection at this listener or for a signal. From now on {@link #accept}
     * may throw a time-out at once.
     */
    public ListenWaiter waiter() throws IOException {
        return new ListenWaiter(fileDescriptor());
    }

    public InputStream inputStream() throws IOException {
        return JdkClasses.SOCKETS.input(impl);
    }

    public OutputStream outputStream() throws IOException {
        return JdkClasses.SOCKETS.output(impl);
    }

    /** As {@code in.read}, where {@code in} is of {@link #inputStream}. */
    public int read(InputStream in, byte[] b, int off, int len) throws IOException {
        return JdkClasses.SOCKETS.read(in, b, off, len);
    }

    /** As {@code out.write}, likewise of {@link #outputStream}. */
    public void write(OutputStream out, byte[] b, int off, int len) throws IOException {
        JdkClasses.SOCKETS.write(out, b, off, len);
    }

    public int available() throws IOException {
        return JdkClasses.SOCKETS.available(impl);
    }

    public void close() throws IOException {
        JdkClasses.SOCKETS.close(impl);
    }

    public void shutdownInput() throws IOException {
        JdkClasses.SOCKETS.shutdownInput(impl);
    }

    public void shutdownOutput() throws IOException {
        JdkClasses.SOCKETS.shutdownOutput(impl);
    }

    public void sendUrgentData(int data) throws IOException {
        JdkClasses.SOCKETS.sendUrgentData(impl, data);
    }

    /** Returns the descriptor; null before {@link #create}. */
    public FileDescriptor fileDescriptor() {
        return JdkClasses.SOCKETS.descriptor(impl);
    }

    public InetAddress inetAddress() {
        return JdkClasses.SOCKETS.inetAddress(impl);
    }

    public int port() {
        return JdkClasses.SOCKETS.port(impl);
    }

    public int localPort() {
        return JdkClasses.SOCKETS.localPort(impl);
    }

    /** Returns the address that the socket is bound to. */
    public InetSocketAddress localAddress() throws SocketException {
        return new InetSocketAddress((InetAddress) option(SocketOptions.SO_BINDADDR), localPort());
    }

    /** Returns the address that the socket is connected to. */
    public InetSocketAddress remoteAddress() {
        return new InetSocketAddress(inetAddress(), port());
    }

    public void setOption(int id, Object value) throws SocketException {
        impl.setOption(id, value);
    }

    public Object option(int id) throws SocketException {
        return impl.getOption(id);
    }

    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        JdkClasses.SOCKETS.setOption(impl, name, value);
    }

    public <T> T option(SocketOption<T> name) throws IOException {
        return JdkClasses.SOCKETS.option(impl, name);
    }

    /** Works before {@link #create} too. */
    public Set<SocketOption<?>> supportedOptions() {
        return JdkClasses.SOCKETS.supportedOptions(impl);
    }
}
