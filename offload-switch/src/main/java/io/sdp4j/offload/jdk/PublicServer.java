package io.sdp4j.offload.jdk;

import io.sdp4j.api.KernelSockets;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;

/**
 * A listener made of a public {@link ServerSocketChannel}.
 *
 * <p>{@code bind} also begins to listen, with the default backlog, as a channel cannot bind without
 * listening. Once there is a waiter, the channel is non-blocking and {@code next} holds a
 * connection that the waiter found; both belong to the one thread that accepts.
 */
final class PublicServer extends KernelSocket {
    private static final int BACKLOG = 50;

    private volatile ServerSocketChannel channel;
    private volatile InetSocketAddress bound;
    private SocketChannel next;

    PublicServer() {
        super(null);
    }

    @Override
    public void create() throws IOException {
        channel = KernelSockets.<ServerSocketChannel, IOException>call(ServerSocketChannel::open);
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    }

    @Override
    public void bind(InetAddress host, int port) throws IOException {
        channel.bind(new InetSocketAddress(host, port), BACKLOG);
        bound = new InetSocketAddress(host, channel.socket().getLocalPort());
    }

    @Override
    public void listen(int backlog) {}

    @Override
    public KernelSocket accept() throws IOException {
        if (channel.isBlocking()) {
            try {
                return new PublicClient(channel.socket().accept());
            } catch (IOException e) {
                throw ChannelStreams.told(e, channel.isOpen());
            }
        }
        SocketChannel accepted = next;
        next = null;
        if (accepted == null) {
            throw new SocketTimeoutException("Accept timed out");
        }
        return new PublicClient(accepted.socket());
    }

    @Override
    public ListenWaiter waiter() throws IOException {
        return new SelectWaiter();
    }

    /** Waits in a selector, which lets virtual threads park as well. */
    private final class SelectWaiter implements ListenWaiter {
        private final Selector selector = Selector.open();

        SelectWaiter() throws IOException {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_ACCEPT);
        }

        @Override
        public void signal() {
            selector.wakeup();
        }

        /** Does nothing: the next wait uses up a wake-up, and its caller looks again. */
        @Override
        public void consume() {}

        @Override
        public boolean kernelReady() throws IOException {
            if (next == null) {
                try {
                    next = channel.accept();
                } catch (ClosedChannelException e) {
                    throw new SocketException("Socket closed", e);
                }
            }
            return next != null;
        }

        @Override
        public void await(long nanos) throws IOException {
            Thread self = Thread.currentThread();
            // While it is set, an interrupt would end this select and every later one at once.
            boolean interrupted = !self.isVirtual() && Thread.interrupted();
            try {
                selector.select(nanos <= 0 ? 0 : Math.max(1, (nanos + 999_999) / 1_000_000));
                selector.selectedKeys().clear();
            } finally {
                if (interrupted) {
                    self.interrupt();
                }
            }
        }

        @Override
        public void close() throws IOException {
            selector.close();
            if (next != null) {
                next.close();
            }
            if (channel.isOpen()) {
                channel.configureBlocking(true); // there is no offload listener after all
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    @Override
    public FileDescriptor fileDescriptor() {
        return null;
    }

    @Override
    public InetAddress inetAddress() {
        InetSocketAddress at = bound;
        return at == null ? null : at.getAddress();
    }

    @Override
    public int port() {
        return 0;
    }

    @Override
    public int localPort() {
        InetSocketAddress at = bound;
        return at == null ? 0 : at.getPort();
    }

    @Override
    public void setOption(int id, Object value) throws SocketException {
        ServerSocket socket = channel.socket();
        switch (id) {
            case SocketOptions.SO_TIMEOUT -> socket.setSoTimeout((Integer) value);
            case SocketOptions.SO_REUSEADDR -> socket.setReuseAddress((Boolean) value);
            case SocketOptions.SO_RCVBUF -> socket.setReceiveBufferSize((Integer) value);
            default -> throw new SocketException("Unknown option " + id);
        }
    }

    @Override
    public Object option(int id) throws SocketException {
        ServerSocket socket = channel.socket();
        try {
            return switch (id) {
                case SocketOptions.SO_TIMEOUT -> socket.getSoTimeout();
                case SocketOptions.SO_REUSEADDR -> socket.getReuseAddress();
                case SocketOptions.SO_RCVBUF -> socket.getReceiveBufferSize();
                case SocketOptions.SO_BINDADDR ->
                        channel.getLocalAddress() instanceof InetSocketAddress at
                                ? at.getAddress()
                                : null;
                default -> throw new SocketException("Unknown option " + id);
            };
        } catch (SocketException e) {
            throw e;
        } catch (IOException e) {
            throw new SocketException(e.getMessage(), e);
        }
    }

    @Override
    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        channel.socket().setOption(name, value);
    }

    @Override
    public <T> T option(SocketOption<T> name) throws IOException {
        return channel.socket().getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        ServerSocketChannel current = channel;
        return current == null ? Set.of() : current.socket().supportedOptions();
    }
}
