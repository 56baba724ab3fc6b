package io.sdp4j.offload.jdk;

import io.sdp4j.api.KernelSockets;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.nio.channels.ClosedChannelException;
import java.util.Set;

/** A socket made of a public {@link Socket}. */
final class PublicClient extends KernelSocket {
    private final Socket socket;

    PublicClient(boolean proxies) {
        this(KernelSockets.call(() -> proxies ? new Socket() : new Socket(Proxy.NO_PROXY)));
    }

    PublicClient(Socket socket) {
        super(null);
        this.socket = socket;
    }

    /** Reads an option, because that makes a public socket create itself. */
    @Override
    public void create() throws IOException {
        socket.getReuseAddress();
    }

    @Override
    public void connect(SocketAddress remote, int timeoutMillis) throws IOException {
        socket.connect(remote, timeoutMillis);
    }

    @Override
    public void bind(InetAddress host, int port) throws IOException {
        socket.bind(new InetSocketAddress(host, port));
    }

    @Override
    public InputStream inputStream() throws IOException {
        return ofChannel() ? new ChannelStreams.Input(socket) : socket.getInputStream();
    }

    /** Whether the socket was accepted by {@link PublicServer}. */
    private boolean ofChannel() {
        return socket.getChannel() != null;
    }

    @Override
    public OutputStream outputStream() throws IOException {
        return ofChannel() ? new ChannelStreams.Output(socket) : socket.getOutputStream();
    }

    @Override
    public int available() throws IOException {
        return socket.getInputStream().available();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        try {
            socket.sendUrgentData(data);
        } catch (ClosedChannelException e) {
            throw ChannelStreams.told(e, !socket.isClosed());
        }
    }

    @Override
    public FileDescriptor fileDescriptor() {
        return null;
    }

    @Override
    public InetAddress inetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public int port() {
        return socket.getPort();
    }

    @Override
    public int localPort() {
        return Math.max(socket.getLocalPort(), 0);
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        switch (id) {
            case SocketOptions.SO_TIMEOUT -> socket.setSoTimeout((Integer) value);
            case SocketOptions.SO_LINGER -> {
                boolean on = value instanceof Integer seconds && seconds >= 0;
                socket.setSoLinger(on, on ? (Integer) value : 0);
            }
            case SocketOptions.TCP_NODELAY -> socket.setTcpNoDelay((Boolean) value);
            case SocketOptions.SO_KEEPALIVE -> socket.setKeepAlive((Boolean) value);
            case SocketOptions.SO_OOBINLINE -> socket.setOOBInline((Boolean) value);
            case SocketOptions.SO_REUSEADDR -> socket.setReuseAddress((Boolean) value);
            case SocketOptions.SO_SNDBUF -> socket.setSendBufferSize((Integer) value);
            case SocketOptions.SO_RCVBUF -> socket.setReceiveBufferSize((Integer) value);
            case SocketOptions.IP_TOS -> socket.setTrafficClass((Integer) value);
            default -> throw new SocketException("Unknown option " + id);
        }
    }

    @Override
    public Object option(int id) throws SocketException {
        return switch (id) {
            case SocketOptions.SO_TIMEOUT -> socket.getSoTimeout();
            case SocketOptions.SO_LINGER -> {
                int seconds = socket.getSoLinger();
                yield seconds < 0 ? false : (Object) seconds;
            }
            case SocketOptions.TCP_NODELAY -> socket.getTcpNoDelay();
            case SocketOptions.SO_KEEPALIVE -> socket.getKeepAlive();
            case SocketOptions.SO_OOBINLINE -> socket.getOOBInline();
            case SocketOptions.SO_REUSEADDR -> socket.getReuseAddress();
            case SocketOptions.SO_SNDBUF -> socket.getSendBufferSize();
            case SocketOptions.SO_RCVBUF -> socket.getReceiveBufferSize();
            case SocketOptions.IP_TOS -> socket.getTrafficClass();
            case SocketOptions.SO_BINDADDR -> socket.getLocalAddress();
            default -> throw new SocketException("Unknown option " + id);
        };
    }

    @Override
    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        socket.setOption(name, value);
    }

    @Override
    public <T> T option(SocketOption<T> name) throws IOException {
        return socket.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return socket.supportedOptions();
    }
}
