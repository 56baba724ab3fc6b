package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/**
 * A server for the client of {@link EarlyStreams} that accepts before the switch can start. It
 * takes the kind: {@code socket}, {@code channel} or {@code selector}.
 */
public final class EarlyServer {
    private static final InetSocketAddress ANY_PORT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final ByteBuffer some = ByteBuffer.allocate(1 << 16).limit(0);
    private long sum;
    private boolean all;

    private EarlyServer() {}

    /** Serves one connection. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("socket")) {
            socket();
        } else {
            channel(args[0].equals("selector"));
        }
        System.out.println("summed=all");
    }

    private static void ready(int port) {
        System.out.println("READY " + port);
    }

    private static void socket() throws Exception {
        try (ServerSocket listener = new ServerSocket()) {
            Socket accepted;
            synchronized (EarlyListener.lock()) {
                listener.bind(ANY_PORT);
                ready(listener.getLocalPort());
                accepted = listener.accept();
            }
            try (accepted) {
                EarlyStreams.serve(accepted);
            }
        }
    }

    private static void channel(boolean selects) throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            SocketChannel accepted;
            synchronized (EarlyListener.lock()) {
                listener.bind(ANY_PORT);
                ready(listener.socket().getLocalPort());
                accepted = listener.accept();
            }
            try (accepted;
                    Selector selector = Selector.open()) {
                if (selects) {
                    accepted.configureBlocking(false);
                    SelectionKey _ = accepted.register(selector, SelectionKey.OP_READ);
                }
                EarlyServer server = new EarlyServer();
                while (!server.all) {
                    if (selects) {
                        int _ = selector.select();
                        selector.selectedKeys().clear();
                    }
                    server.read(accepted);
                }
                int _ = accepted.write(ByteBuffer.allocate(Long.BYTES).putLong(0, server.sum));
            }
        }
    }

    private void read(SocketChannel from) throws IOException {
        some.compact();
        if (from.read(some) < 0) {
            throw new IOException("it ended early");
        }
        some.flip();
        while (!all && some.remaining() >= Long.BYTES) {
            long n = some.getLong();
            all = n == 0;
            sum = all ? sum : sum * 31 + n;
        }
    }
}
