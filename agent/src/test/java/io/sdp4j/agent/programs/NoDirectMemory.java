package io.sdp4j.agent.programs;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * Takes all the direct memory that the JVM may have, then receives a byte on each of some
 * connections in buffers that it has had before, by asynchronous reads and with a selector, and
 * prints the byte.
 */
public final class NoDirectMemory {
    private static final int CONNECTIONS = 4;

    private final List<AsynchronousSocketChannel> asynchronous = new ArrayList<>();
    private final List<SocketChannel> selected = new ArrayList<>();
    private final List<SocketChannel> accepted = new ArrayList<>();
    private final ByteBuffer sent = ByteBuffer.allocateDirect(1);
    private final ByteBuffer received = ByteBuffer.allocateDirect(1);

    private NoDirectMemory() {}

    public static void main(String[] args) throws Exception {
        System.out.println("byte=" + new NoDirectMemory().run());
    }

    private int run() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open();
                Selector selector = Selector.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            for (int i = 0; i < CONNECTIONS; i++) {
                AsynchronousSocketChannel channel = AsynchronousSocketChannel.open();
                asynchronous.add(channel);
                Future<Void> connect = channel.connect(listener.getLocalAddress());
                accepted.add(listener.accept());
                connect.get();
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel channel = SocketChannel.open(listener.getLocalAddress());
                selected.add(channel);
                accepted.add(listener.accept());
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_READ);
            }
            selector.selectNow();
            List<ByteBuffer> all = takeAll();
            int sum = receive() + select(selector);
            return all.isEmpty() ? -1 : sum / (2 * CONNECTIONS);
        }
    }

    private static List<ByteBuffer> takeAll() {
        List<ByteBuffer> all = new ArrayList<>();
        for (int size = 1 << 20; size > 0; ) {
            try {
                all.add(ByteBuffer.allocateDirect(size));
            } catch (OutOfMemoryError e) {
                size /= 2;
            }
        }
        return all;
    }

    private void send(SocketChannel from) throws Exception {
        sent.clear().put(0, (byte) 42);
        while (sent.hasRemaining()) {
            int _ = from.write(sent);
        }
    }

    private int receive() throws Exception {
        int sum = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            received.clear();
            Future<Integer> read = asynchronous.get(i).read(received);
            send(accepted.get(i));
            sum += read.get(20, TimeUnit.SECONDS) * received.get(0);
        }
        return sum;
    }

    private int select(Selector selector) throws Exception {
        int sum = 0;
        for (int i = 0; i < CONNECTIONS; i++) {
            send(accepted.get(CONNECTIONS + i));
            received.clear();
            int n = 0;
            while (n == 0 && selector.select(20_000) > 0) {
                selector.selectedKeys().clear();
                n = selected.get(i).read(received);
            }
            sum += n * received.get(0);
        }
        return sum;
    }
}
