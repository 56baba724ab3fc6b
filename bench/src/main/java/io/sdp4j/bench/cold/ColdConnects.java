package io.sdp4j.bench.cold;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** Connections one after the other, each of ten bytes there and back, in selectors at both ends. */
final class ColdConnects implements AutoCloseable {
    private static final int BYTES = 10;

    private final InetSocketAddress server;
    private final Selector selector = Selector.open();
    private final ByteBuffer message = ByteBuffer.allocateDirect(BYTES);

    ColdConnects(InetSocketAddress server) throws IOException {
        this.server = server;
    }

    /** Makes one, and closes it. */
    void one() throws IOException {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            if (!channel.connect(server)) {
                do {
                    await();
                } while (!channel.finishConnect());
            }
            key.interestOps(SelectionKey.OP_READ);
            channel.write(message.clear());
            message.clear();
            while (message.hasRemaining()) {
                await();
                if (channel.read(message) < 0) {
                    throw new EOFException("the server left");
                }
            }
        }
        int _ = selector.selectNow(); // forgets the channel
    }

    private void await() throws IOException {
        int _ = selector.select();
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
    }

    /** Sends back what connections bring, until this thread is interrupted. */
    static void serve(ServerSocketChannel listener) throws IOException {
        ByteBuffer some = ByteBuffer.allocateDirect(8192);
        try (Selector selector = Selector.open()) {
            listener.configureBlocking(false);
            SelectionKey _ = listener.register(selector, SelectionKey.OP_ACCEPT);
            while (!Thread.currentThread().isInterrupted()) {
                int _ = selector.select();
                for (SelectionKey key : selector.selectedKeys()) {
                    if (key.channel() instanceof SocketChannel channel) {
                        echo(channel, some);
                    } else {
                        accept(listener, selector);
                    }
                }
                selector.selectedKeys().clear();
            }
        }
    }

    @SuppressWarnings("resource") // until its other end closes it
    private static void accept(ServerSocketChannel listener, Selector selector) throws IOException {
        SocketChannel accepted = listener.accept();
        while (accepted != null) {
            accepted.configureBlocking(false);
            SelectionKey _ = accepted.register(selector, SelectionKey.OP_READ);
            accepted = listener.accept();
        }
    }

    private static void echo(SocketChannel channel, ByteBuffer some) throws IOException {
        if (channel.read(some.clear()) < 0) {
            channel.close();
        } else {
            channel.write(some.flip());
        }
    }
}
