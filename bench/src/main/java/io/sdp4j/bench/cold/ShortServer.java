package io.sdp4j.bench.cold;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;

/**
 * {@code ShortServer socket|channel}: listens on any port, prints {@code listen NANOSECONDS exit
 * NANOTIME}, and returns. The first part of the life of every server, from making its listener
 * until it listens.
 */
public final class ShortServer {
    private ShortServer() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress anyPort = new InetSocketAddress(Place.here(), 0);
        long start = System.nanoTime();
        switch (args[0]) {
            case "socket" -> {
                try (ServerSocket listener = new ServerSocket()) {
                    listener.bind(anyPort);
                    print(start);
                }
            }
            case "channel" -> {
                try (ServerSocketChannel listener = ServerSocketChannel.open();
                        Selector selector = Selector.open()) {
                    listener.bind(anyPort);
                    listener.configureBlocking(false);
                    SelectionKey _ = listener.register(selector, SelectionKey.OP_ACCEPT);
                    print(start);
                }
            }
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    private static void print(long startNanos) {
        long now = System.nanoTime();
        System.out.println("listen " + (now - startNanos) + " exit " + now);
    }
}
