package io.sdp4j.offload.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * {@code ServerSocketChannel.socket()}. The JDK's own adaptor of the kernel's channel answers all
 * that it can.
 */
final class ChannelServerSocket extends ServerSocket {
    private static final int DEFAULT_BACKLOG = 50;

    private final SwitchServerSocketChannel channel;
    private final ServerSocket kernel;
    private volatile int timeoutMillis;

    ChannelServerSocket(SwitchServerSocketChannel channel, ServerSocket kernel) throws IOException {
        super(new NoSocketImpl());
        this.channel = channel;
        this.kernel = kernel;
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        bind(address, DEFAULT_BACKLOG);
    }

    @Override
    public void bind(SocketAddress address, int backlog) throws IOException {
        try {
            channel.bind(address == null ? new InetSocketAddress(0) : address, backlog);
        } catch (Exception e) {
            throw SocketTexts.ioException(e);
        }
    }

    @Override
    public InetAddress getInetAddress() {
        return kernel.getInetAddress();
    }

    @Override
    public int getLocalPort() {
        return kernel.getLocalPort();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        return kernel.getLocalSocketAddress();
    }

    @Override
    public Socket accept() throws IOException {
        try {
            int timeout = timeoutMillis;
            SocketChannel accepted =
                    timeout > 0
                            ? channel.blockingAccept(TimeUnit.MILLISECONDS.toNanos(timeout))
                            : channel.accept();
            if (accepted == null) {
                throw new IllegalBlockingModeException();
            }
            return accepted.socket();
        } catch (Exception e) {
            throw SocketTexts.ioException(e);
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public ServerSocketChannel getChannel() {
        return channel;
    }

    @Override
    public boolean isBound() {
        return kernel.isBound();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        channel.checkOpen();
        if (timeout < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        timeoutMillis = timeout;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        channel.checkOpen();
        return timeoutMillis;
    }

    @Override
    public void setReuseAddress(boolean on) throws SocketException {
        kernel.setReuseAddress(on);
    }

    @Override
    public boolean getReuseAddress() throws SocketException {
        return kernel.getReuseAddress();
    }

    @Override
    public String toString() {
        return kernel.toString();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        if (size <= 0) {
            throw new IllegalArgumentException("size cannot be 0 or negative");
        }
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, size);
        } catch (IOException e) {
            throw SocketTexts.socketException(e);
        }
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return kernel.getReceiveBufferSize();
    }

    @Override
    public <T> ServerSocket setOption(SocketOption<T> name, T value) throws IOException {
        channel.setOption(name, value);
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return channel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return channel.supportedOptions();
    }
}
