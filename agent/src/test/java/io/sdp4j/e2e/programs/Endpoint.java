package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** One end of a connection on the loopback interface; it blocks, whatever kind of socket it is. */
interface Endpoint extends AutoCloseable {
    /** Kind of socket. */
    enum Kind {
        SOCKET,
        CHANNEL,
        SELECTOR,
        ASYNC
    }

    /** Reads what is there, at least one byte; -1 at the end of the stream. */
    int read(byte[] b) throws IOException;

    /** Writes all. */
    void write(byte[] b) throws IOException;

    void shutdownOutput() throws IOException;

    /** Has {@link #close} reset the connection, where that can be had. */
    void resetAtClose() throws IOException;

    @Override
    void close() throws IOException;

    /** Reads until {@code b} is full; false if the stream ends before. */
    default boolean readFully(byte[] b) throws IOException {
        byte[] some = b;
        for (int at = 0; at < b.length; ) {
            int n = read(some);
            if (n < 0) {
                return false;
            }
            if (some != b) {
                System.arraycopy(some, 0, b, at, n);
            }
            at += n;
            some = at < b.length ? new byte[b.length - at] : b;
        }
        return true;
    }

    /** Where connections come from. */
    interface Listener extends AutoCloseable {
        int port() throws IOException;

        Endpoint accept() throws IOException;

        @Override
        void close() throws IOException;
    }

    /** Connects. */
    static Endpoint connect(Kind kind, int port) throws IOException {
        InetSocketAddress to = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
        return switch (kind) {
            case SOCKET -> new OfSocket(new Socket(to.getAddress(), port));
            case CHANNEL, SELECTOR -> new OfChannel(SocketChannel.open(to), kind == Kind.SELECTOR);
            case ASYNC -> {
                AsynchronousSocketChannel channel = AsynchronousSocketChannel.open();
                OfAsyncChannel.result(channel.connect(to));
                yield new OfAsyncChannel(channel);
            }
        };
    }

    /** Listens on any port. */
    static Listener listen(Kind kind) throws IOException {
        InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
        return switch (kind) {
            case SOCKET -> new OfServerSocket(new ServerSocket(0, 50, any.getAddress()));
            case CHANNEL, SELECTOR ->
                    new OfServerChannel(
                            ServerSocketChannel.open().bind(any), kind == Kind.SELECTOR);
            case ASYNC ->
                    new OfAsyncServerChannel(AsynchronousServerSocketChannel.open().bind(any));
        };
    }

    /** By {@link ServerSocket}. */
    record OfServerSocket(ServerSocket listener) implements Listener {
        @Override
        public int port() {
            return listener.getLocalPort();
        }

        @Override
        public Endpoint accept() throws IOException {
            return new OfSocket(listener.accept());
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** By {@link ServerSocketChannel}. */
    record OfServerChannel(ServerSocketChannel listener, boolean selects) implements Listener {
        @Override
        public int port() {
            return listener.socket().getLocalPort();
        }

        @Override
        public Endpoint accept() throws IOException {
            return new OfChannel(listener.accept(), selects);
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** By {@link AsynchronousServerSocketChannel}. */
    record OfAsyncServerChannel(AsynchronousServerSocketChannel listener) implements Listener {
        @Override
        public int port() throws IOException {
            return ((InetSocketAddress) listener.getLocalAddress()).getPort();
        }

        @Override
        public Endpoint accept() throws IOException {
            return new OfAsyncChannel(OfAsyncChannel.result(listener.accept()));
        }

        @Override
        public void close() throws IOException {
            listener.close();
        }
    }

    /** By {@link Socket}. */
    record OfSocket(Socket socket) implements Endpoint {
        @Override
        public int read(byte[] b) throws IOException {
            return socket.getInputStream().read(b);
        }

        @Override
        public void write(byte[] b) throws IOException {
            socket.getOutputStream().write(b);
        }

        @Override
        public void shutdownOutput() throws IOException {
            socket.shutdownOutput();
        }

        @Override
        public void resetAtClose() throws IOException {
            socket.setSoLinger(true, 0);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /** By {@link SocketChannel}, which blocks or has a selector of its own. */
    final class OfChannel implements Endpoint {
        private final SocketChannel channel;
        private final Selector selector;
        private final SelectionKey key;

        OfChannel(SocketChannel channel, boolean selects) throws IOException {
            this.channel = channel;
            selector = selects ? Selector.open() : null;
            if (selects) {
                channel.configureBlocking(false);
            }
            key = selects ? channel.register(selector, 0) : null;
        }

        private void await(int ops) throws IOException {
            if (key != null) {
                key.interestOps(ops);
                selector.select();
                selector.selectedKeys().clear();
            }
        }

        @Override
        public int read(byte[] b) throws IOException {
            ByteBuffer into = ByteBuffer.wrap(b);
            int n;
            do { // as event loops do, which read nothing that no selector has told them of
                await(SelectionKey.OP_READ);
                n = channel.read(into);
            } while (n == 0 && into.hasRemaining());
            return n;
        }

        @Override
        public void write(byte[] b) throws IOException {
            ByteBuffer from = ByteBuffer.wrap(b);
            while (from.hasRemaining()) {
                if (channel.write(from) == 0) {
                    await(SelectionKey.OP_WRITE);
                }
            }
        }

        @Override
        public void shutdownOutput() throws IOException {
            channel.shutdownOutput();
        }

        @Override
        public void resetAtClose() throws IOException {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        }

        @Override
        public void close() throws IOException {
            channel.close();
            if (selector != null) {
                selector.close();
            }
        }
    }

    /** By {@link AsynchronousSocketChannel}, each operation waited for. */
    record OfAsyncChannel(AsynchronousSocketChannel channel) implements Endpoint {
        private static <T> T result(Future<T> future) throws IOException {
            try {
                return future.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failure) {
                    throw failure;
                }
                throw new IllegalStateException(e);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public int read(byte[] b) throws IOException {
            return result(channel.read(ByteBuffer.wrap(b)));
        }

        @Override
        public void write(byte[] b) throws IOException {
            ByteBuffer from = ByteBuffer.wrap(b);
            while (from.hasRemaining()) {
                result(channel.write(from));
            }
        }

        @Override
        public void shutdownOutput() throws IOException {
            channel.shutdownOutput();
        }

        /** Such channels have no {@code SO_LINGER}. */
        @Override
        public void resetAtClose() {}

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
