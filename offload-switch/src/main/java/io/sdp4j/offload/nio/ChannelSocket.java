package io.sdp4j.offload.nio;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketImpl;
import java.net.UnknownHostException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.concurrent.TimeUnit;

/**
 * {@code SocketChannel.socket()}: a channel that looks like a socket. The JDK's own adaptor of the
 * kernel's channel answers all that it can (behaviour 55).
 */
final class ChannelSocket extends OptionSocket {
    private volatile int timeoutMillis;

    private ChannelSocket(SwitchSocketChannel channel, SocketImpl none) throws SocketException {
        super(channel, none);
    }

    static ChannelSocket of(SwitchSocketChannel channel) {
        try {
            return new ChannelSocket(channel, new NoSocketImpl());
        } catch (SocketException e) {
            throw new AssertionError(e);
        }
    }

    /** The adaptor of the kernel's channel, or null if the connection is offloaded. */
    private Socket kernel() {
        return channel.connectedStream() == null ? channel.kernel.socket() : null;
    }

    @Override
    public void connect(SocketAddress remote) throws IOException {
        connect(remote, 0);
    }

    @Override
    public void connect(SocketAddress remote, int timeout) throws IOException {
        if (remote == null) {
            throw new IllegalArgumentException("connect: The address can't be null");
        }
        if (remote instanceof InetSocketAddress address && address.isUnresolved()) {
            if (isClosed()) {
                throw new SocketException("Socket is closed");
            }
            if (isConnected()) {
                throw new SocketException("Already connected");
            }
            close();
            throw new UnknownHostException(address.toString());
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("connect: timeout can't be negative");
        }
        try {
            mayConnect(remote, timeout);
            channel.connect(
                    remote, timeout > 0 ? TimeUnit.MILLISECONDS.toNanos(timeout) : Long.MAX_VALUE);
        } catch (Exception e) {
            throw SocketTexts.ioException(e);
        }
    }

    /** The fault of connecting now, in the order in which the JDK's adaptor looks at it. */
    private void mayConnect(SocketAddress remote, int timeout) throws IOException {
        if (!(remote instanceof InetSocketAddress)) {
            throw new UnsupportedAddressTypeException();
        }
        if (!channel.isOpen()) {
            if (timeout == 0) {
                throw new AsynchronousCloseException();
            }
        } else if (!channel.isBlocking()) {
            throw new IllegalBlockingModeException();
        } else if (channel.isConnected()) {
            throw new AlreadyConnectedException();
        }
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        try {
            channel.bind(address);
        } catch (Exception e) {
            throw SocketTexts.ioException(e);
        }
    }

    private InetSocketAddress remote() {
        try {
            return (InetSocketAddress) channel.remoteAddress();
        } catch (IOException e) {
            return null; // closed meanwhile
        }
    }

    private InetSocketAddress local() {
        try {
            return (InetSocketAddress) channel.localAddress();
        } catch (IOException e) {
            return null; // closed meanwhile
        }
    }

    @Override
    public InetAddress getInetAddress() {
        Socket k = kernel();
        if (k != null && k.getInetAddress() != null) {
            return k.getInetAddress();
        }
        InetSocketAddress there = remote();
        return there == null ? null : there.getAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        Socket k = kernel();
        if (k != null) {
            return k.getLocalAddress();
        }
        return channel.isOpen() ? local().getAddress() : new InetSocketAddress(0).getAddress();
    }

    @Override
    public int getPort() {
        Socket k = kernel();
        if (k != null && k.getPort() != 0) {
            return k.getPort();
        }
        InetSocketAddress there = remote();
        return there == null ? 0 : there.getPort();
    }

    @Override
    public int getLocalPort() {
        Socket k = kernel();
        return k != null ? k.getLocalPort() : local().getPort();
    }

    @Override
    public SocketAddress getRemoteSocketAddress() {
        Socket k = kernel();
        SocketAddress there = k == null ? null : k.getRemoteSocketAddress();
        return there != null ? there : remote();
    }

    @Override
    public SocketAddress getLocalSocketAddress() {
        Socket k = kernel();
        return k != null ? k.getLocalSocketAddress() : local();
    }

    @Override
    public SocketChannel getChannel() {
        return channel;
    }

    private void checkConnected() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isConnected()) {
            throw new SocketException("Socket is not connected");
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        checkConnected();
        if (isInputShutdown()) {
            throw new SocketException("Socket input is shutdown");
        }
        Socket k = kernel();
        return k != null
                ? new ChannelStreams.KernelInput(channel, k.getInputStream(), () -> timeoutMillis)
                : new ChannelStreams.Input(channel, () -> timeoutMillis);
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        checkConnected();
        if (isOutputShutdown()) {
            throw new SocketException("Socket output is shutdown");
        }
        return new ChannelStreams.Output(channel);
    }

    @Override
    public void sendUrgentData(int data) throws IOException {
        ChannelStream s = channel.connectedStream();
        MovingChannel m = s == null ? channel.moving() : null;
        if (m != null) {
            boolean byStream =
                    m.urgentMoved(
                            () -> {
                                channel.kernel.socket().sendUrgentData(data);
                                return 0;
                            });
            if (!byStream) {
                return;
            }
            s = channel.movedStream();
        }
        if (s == null) {
            channel.kernel.socket().sendUrgentData(data);
        } else if (!s.sendUrgent(data)) {
            throw new IOException("Socket buffer full");
        }
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (timeout < 0) {
            throw new IllegalArgumentException("timeout < 0");
        }
        Socket k = kernel();
        if (k != null) {
            k.setSoTimeout(timeout);
        }
        timeoutMillis = timeout;
    }

    @Override
    public int getSoTimeout() throws SocketException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        return timeoutMillis;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        try {
            channel.shutdownInput();
        } catch (Exception e) {
            throw SocketTexts.ioException(e);
        }
    }

    @Override
    public void shutdownOutput() throws IOException {
        try {
            channel.shutdownOutput();
        } catch (Exception e) {
            throw SocketTexts.ioException(e);
        }
    }

    @Override
    public String toString() {
        return isConnected()
                ? "Socket[addr="
                        + getInetAddress()
                        + ",port="
                        + getPort()
                        + ",localport="
                        + getLocalPort()
                        + "]"
                : "Socket[unconnected]";
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        Socket k = kernel();
        return k == null || k.isBound();
    }

    @Override
    public boolean isClosed() {
        return !channel.isOpen();
    }

    @Override
    public boolean isInputShutdown() {
        ChannelStream s = channel.connectedStream();
        MovingChannel m = s == null ? channel.moving() : null;
        if (m != null) {
            return m.inputShut();
        }
        return s != null ? s.inputShut() : channel.kernel.socket().isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        ChannelStream s = channel.connectedStream();
        MovingChannel m = s == null ? channel.moving() : null;
        if (m != null) {
            return m.outputShut();
        }
        return s != null ? s.outputShut() : channel.kernel.socket().isOutputShutdown();
    }
}
