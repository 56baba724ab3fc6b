import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;

/**
 * Two ends of one connection that send each other, in turns, what takes either way there is: small messages, many of them
 * unanswered, and direct buffers large enough to be lent, for which the other end waits; each end compares what comes. {@code server ADDRESS PORT}
 * or {@code client ADDRESS PORT}. Prints {@code READY}, and {@code right} at the end.
 */
final class Exchange {
    private static final int ROUNDS = 5;
    private static final int SMALL_BYTES = 1000;
    private static final int SMALL_AT_A_TIME = 100;
    private static final int LARGE_BYTES = 1 << 20;

    private final SocketChannel channel;
    private final ByteBuffer small = ByteBuffer.allocate(SMALL_BYTES);
    private final ByteBuffer large = ByteBuffer.allocateDirect(LARGE_BYTES);
    private final ByteBuffer go = ByteBuffer.allocate(1);
    private final ByteBuffer expected = ByteBuffer.allocate(LARGE_BYTES);

    private Exchange(SocketChannel channel) {
        this.channel = channel;
    }

    public static void main(String[] args) throws IOException {
        InetSocketAddress address = new InetSocketAddress(args[1], Integer.parseInt(args[2]));
        boolean server = args[0].equals("server");
        try (SocketChannel channel = server ? accept(address) : SocketChannel.open(address)) {
            Exchange exchange = new Exchange(channel);
            for (int round = 0; round < ROUNDS; round++) {
                if (server) {
                    exchange.take(round);
                    exchange.give(-round);
                } else {
                    exchange.give(round);
                    exchange.take(-round);
                }
            }
            channel.shutdownOutput();
            if (channel.read(exchange.small.clear()) >= 0) {
                throw new IOException("more than was sent");
            }
        }
        System.out.println("right");
    }

    private static SocketChannel accept(InetSocketAddress address) throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(address)) {
            System.out.println("READY");
            return listener.accept();
        }
    }

    private static void fill(ByteBuffer buffer, int seed) {
        byte[] bytes = new byte[buffer.capacity()];
        new Random(seed).nextBytes(bytes);
        buffer.clear().put(bytes).flip();
    }

    private void give(int seed) throws IOException {
        fill(small, seed);
        for (int i = 0; i < SMALL_AT_A_TIME; i++) {
            write(small);
        }
        read(go);
        fill(large, seed);
        write(large);
    }

    private void write(ByteBuffer buffer) throws IOException {
        for (buffer.rewind(); buffer.hasRemaining(); ) {
            channel.write(buffer);
        }
    }

    private void take(int seed) throws IOException {
        byte[] same = new byte[SMALL_BYTES];
        new Random(seed).nextBytes(same);
        for (int i = 0; i < SMALL_AT_A_TIME; i++) {
            read(small);
            if (!small.equals(ByteBuffer.wrap(same))) {
                throw new IOException("message " + i + " of round " + seed + " is another");
            }
        }
        write(go);
        read(large);
        fill(expected, seed);
        if (!large.equals(expected)) {
            throw new IOException("the large buffer of round " + seed + " is another");
        }
    }

    private void read(ByteBuffer buffer) throws IOException {
        for (buffer.clear(); buffer.hasRemaining(); ) {
            if (channel.read(buffer) < 0) {
                throw new EOFException();
            }
        }
        buffer.flip();
    }
}
