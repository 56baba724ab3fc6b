package io.sdp4j.bench.cold;

import io.sdp4j.bench.net.Place;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/**
 * {@code ShortChannel PORT}: what {@link ShortProgram} does, with a channel in a selector; {@code
 * connect} is the time from before the first channel is made.
 */
public final class ShortChannel {
    private static final int TRIPS = 20;

    private ShortChannel() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(Place.here(), Integer.parseInt(args[0]));
        long start = System.nanoTime();
        try (Selector selector = Selector.open();
                SocketChannel channel = SocketChannel.open()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_CONNECT);
            if (!channel.connect(server)) {
                do {
                    await(selector);
                } while (!channel.finishConnect());
            }
            long connectNanos = System.nanoTime() - start;
            key.interestOps(SelectionKey.OP_READ);
            ByteBuffer message = ByteBuffer.allocate(64);
            for (int i = 0; i < TRIPS; i++) {
                channel.write(message.clear());
                message.clear();
                while (message.hasRemaining()) {
                    await(selector);
                    if (channel.read(message) < 0) {
                        throw new EOFException();
                    }
                }
            }
            System.out.println("connect " + connectNanos + " exit " + System.nanoTime());
        }
    }

    private static void await(Selector selector) throws IOException {
        selector.select();
        selector.selectedKeys().clear();
    }
}
