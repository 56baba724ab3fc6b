package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * One connection that carries messages of 64 bytes to and fro: {@code KIND}, or {@code KIND PORT
 * TRIPS}, where TRIPS is a number or {@code until-offloaded}. The client prints {@code echoed=all}
 * if each answer was right, the server if it answered until the end.
 */
public final class RoundTrips {
    private static final int BYTES = 64;
    private static final long MOST_NANOS = 30_000_000_000L;

    /** What kind of socket both ends use. */
    public enum Kind {
        SOCKET,
        CHANNEL,
        SELECTOR
    }

    /** Moves all of a message; false at the end of the stream. */
    private interface End extends AutoCloseable {
        boolean read(byte[] message) throws IOException;

        void write(byte[] message) throws IOException;

        @Override
        void close() throws IOException;
    }

    private RoundTrips() {}

    /** Serves one connection, or makes one. */
    public static void main(String[] args) throws Exception {
        Kind kind = Kind.valueOf(args[0]);
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args.length == 1) {
            serve(kind, new InetSocketAddress(loopback, 0));
        } else {
            InetSocketAddress to = new InetSocketAddress(loopback, Integer.parseInt(args[1]));
            try (End end = connect(kind, to)) {
                exchange(end, args[2]);
            }
        }
        System.out.println("echoed=all");
    }

    private static void exchange(End end, String trips) throws Exception {
        boolean until = trips.equals("until-offloaded");
        long most = until ? Long.MAX_VALUE : Long.parseLong(trips);
        long start = System.nanoTime();
        byte[] message = new byte[BYTES];
        byte[] answer = new byte[BYTES];
        for (long i = 0; i < most && !(until && i % 1_000 == 999 && offloaded()); i++) {
            ByteBuffer.wrap(message).putLong(0, i).putLong(BYTES - 8, ~i);
            end.write(message);
            if (!end.read(answer) || !Arrays.equals(message, answer)) {
                throw new IOException("no answer, or a wrong one, to message " + i);
            }
            if (until && System.nanoTime() - start > MOST_NANOS) {
                throw new IOException("not offloaded after " + i + " messages");
            }
        }
    }

    private static boolean offloaded() throws JMException {
        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("io.sdp4j:type=Switch");
        return beans.isRegistered(name) && (Long) beans.getAttribute(name, "Offloaded") > 0;
    }

    private static void serve(Kind kind, InetSocketAddress any) throws IOException {
        if (kind == Kind.SOCKET) {
            try (ServerSocket listener = new ServerSocket()) {
                listener.bind(any);
                System.out.println("READY " + listener.getLocalPort());
                answer(new SocketEnd(listener.accept()));
            }
        } else {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(any)) {
                System.out.println("READY " + listener.socket().getLocalPort());
                answer(new ChannelEnd(listener.accept(), kind == Kind.SELECTOR));
            }
        }
    }

    private static void answer(End end) throws IOException {
        try (end) {
            byte[] message = new byte[BYTES];
            while (end.read(message)) {
                end.write(message);
            }
        }
    }

    private static End connect(Kind kind, InetSocketAddress to) throws IOException {
        return kind == Kind.SOCKET
                ? new SocketEnd(new Socket(to.getAddress(), to.getPort()))
                : new ChannelEnd(SocketChannel.open(to), kind == Kind.SELECTOR);
    }

    private record SocketEnd(Socket socket) implements End {
        @Override
        public boolean read(byte[] message) throws IOException {
            return socket.getInputStream().readNBytes(message, 0, BYTES) == BYTES;
        }

        @Override
        public void write(byte[] message) throws IOException {
            socket.getOutputStream().write(message);
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static final class ChannelEnd implements End {
        private final SocketChannel channel;
        private final Selector selector;
        private final SelectionKey key;

        ChannelEnd(SocketChannel channel, boolean selects) throws IOException {
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
        public boolean read(byte[] message) throws IOException {
            ByteBuffer into = ByteBuffer.wrap(message);
            while (into.hasRemaining()) {
                await(SelectionKey.OP_READ);
                if (channel.read(into) < 0) {
                    return false;
                }
            }
            return true;
        }

        @Override
        public void write(byte[] message) throws IOException {
            ByteBuffer from = ByteBuffer.wrap(message);
            while (from.hasRemaining()) {
                if (channel.write(from) == 0) {
                    await(SelectionKey.OP_WRITE);
                }
            }
        }

        @Override
        public void close() throws IOException {
            channel.close();
            if (selector != null) {
                selector.close();
            }
        }
    }
}
