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
import java.util.ArrayList;
import java.util.List;

/**
 * As many connections as there may be: {@code server}, {@code selector}, which serves all of them
 * with one selector, or {@code client PORT COUNT}. A server gives each a byte, a client waits for
 * it, and all are kept. A client reads a byte of standard input behind the first connection, and
 * when it has all.
 */
public final class Many {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    private Many() {}

    /** Serves until it is ended, or connects. */
    public static void main(String[] args) throws IOException {
        List<AutoCloseable> all = new ArrayList<>();
        switch (args[0]) {
            case "server" -> {
                ServerSocket listener = new ServerSocket(0, 2_000, LOOPBACK);
                System.out.println("READY " + listener.getLocalPort());
                while (true) {
                    Socket socket = listener.accept();
                    all.add(socket);
                    socket.getOutputStream().write(1);
                }
            }
            case "selector" -> select(all);
            default -> {
                InetSocketAddress to = new InetSocketAddress(LOOPBACK, Integer.parseInt(args[1]));
                for (int i = 0; i < Integer.parseInt(args[2]); i++) {
                    if (i == 1) {
                        System.out.println("ONE");
                        System.in.read();
                    }
                    Socket socket = new Socket(to.getAddress(), to.getPort());
                    all.add(socket);
                    if (socket.getInputStream().read() != 1) {
                        throw new IOException("no byte");
                    }
                }
                System.out.println("ALL");
                System.in.read();
                System.out.println("connections=" + all.size());
                System.exit(0);
            }
        }
    }

    private static void select(List<AutoCloseable> all) throws IOException {
        ServerSocketChannel listener = ServerSocketChannel.open();
        listener.bind(new InetSocketAddress(LOOPBACK, 0), 2_000).configureBlocking(false);
        Selector selector = Selector.open();
        listener.register(selector, SelectionKey.OP_ACCEPT);
        System.out.println("READY " + listener.socket().getLocalPort());
        while (true) {
            selector.select();
            for (SelectionKey key : selector.selectedKeys()) {
                SocketChannel channel = key.isAcceptable() ? listener.accept() : null;
                if (channel != null) {
                    all.add(channel);
                    channel.configureBlocking(false);
                    channel.register(selector, SelectionKey.OP_READ);
                    channel.write(ByteBuffer.wrap(new byte[] {1}));
                } else if (key.channel() instanceof SocketChannel open
                        && open.read(ByteBuffer.allocate(1)) < 0) {
                    open.close();
                }
            }
            selector.selectedKeys().clear();
        }
    }
}
