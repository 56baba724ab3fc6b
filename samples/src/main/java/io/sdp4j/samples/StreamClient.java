package io.sdp4j.samples;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Measures one connection to a {@link StreamServer}: round trips, bulk transfer, and every byte of
 * a checked transfer.
 *
 * <p>Options: {@code --host} (default 127.0.0.1), {@code --port}, {@code --connect} seconds that
 * connecting may take (default 10), {@code --rounds} at most that many measured round trips
 * (default 200000), {@code --seconds} at most that long for round trips and for each direction of
 * bulk (default 1.5), {@code --warmup} seconds before each measured part (default 0.7), {@code
 * --ping} bytes of a round trip (default 64), {@code --block} bytes of a bulk write (default
 * 65536), {@code --bytes} of the checked transfer each way (default 128 MiB).
 *
 * <p>Prints while it runs {@code phase=NAME}, and as results:
 *
 * <ul>
 *   <li>{@code rtt_p50_ns}, {@code rtt_p99_ns}, {@code rtt_rounds};
 *   <li>{@code mb_per_s} (10^6 bytes; both directions together, and {@code up_mb_per_s}, {@code
 *       down_mb_per_s}), {@code bulk_bytes}, {@code cpu_s_per_gb} (both processes, 10^9 bytes);
 *   <li>{@code bytes}, {@code sha256_sent}, {@code sha256_received}, {@code verified} of the
 *       checked transfer;
 *   <li>{@code cpu_seconds} of this process from start to end.
 * </ul>
 *
 * Exit code 1 when a digest differs.
 */
public final class StreamClient {
    private static final long SEED = 0xc11e27;

    private StreamClient() {}

    /** Connects, measures, prints. */
    public static void main(String[] args) throws IOException {
        Options options =
                Options.parse(
                        args, "host", "port", "connect", "rounds", "seconds", "warmup", "ping",
                        "block", "bytes");
        String host = options.text("host", "127.0.0.1");
        long nanos = (long) (options.decimal("seconds", 1.5) * 1e9);
        long warmupNanos = (long) (options.decimal("warmup", 0.7) * 1e9);
        boolean verified;
        try (Socket socket = new Socket()) {
            socket.connect(
                    new InetSocketAddress(host, options.number("port", 0)),
                    1000 * options.number("connect", 10));
            StreamPeer peer = new StreamPeer(socket);
            roundTrips(
                    peer,
                    options.number("ping", 64),
                    options.number("rounds", 200_000),
                    warmupNanos,
                    nanos);
            bulk(peer, options.number("block", 65_536), warmupNanos, nanos);
            verified =
                    check(
                            peer,
                            options.number("block", 65_536),
                            options.bigNumber("bytes", 128L << 20));
            peer.request(StreamPeer.QUIT, 0, 0);
        }
        System.out.printf(Locale.ROOT, "cpu_seconds=%.3f%n", StreamPeer.cpuNanos() / 1e9);
        if (!verified) {
            System.exit(1);
        }
    }

    private static void roundTrips(
            StreamPeer peer, int sizeBytes, int rounds, long warmupNanos, long nanos)
            throws IOException {
        System.out.println("phase=round trips");
        ping(peer, sizeBytes, new long[rounds], warmupNanos);
        long[] samples = new long[rounds];
        int n = ping(peer, sizeBytes, samples, nanos);
        Arrays.sort(samples, 0, n);
        System.out.println("rtt_p50_ns=" + samples[n / 2]);
        System.out.println("rtt_p99_ns=" + samples[(int) (n * 0.99)]);
        System.out.println("rtt_rounds=" + n);
    }

    /** Fills {@code samples} with round trips in nanoseconds for at most {@code nanos}. */
    private static int ping(StreamPeer peer, int sizeBytes, long[] samples, long nanos)
            throws IOException {
        byte[] block = StreamPeer.randomBlock(SEED, sizeBytes);
        peer.request(StreamPeer.PING, sizeBytes, 0);
        long start = System.nanoTime();
        long before = start;
        int n = 0;
        boolean last;
        do {
            last = n == samples.length - 1 || before - start >= nanos;
            block[0] = (byte) (last ? 0 : 1);
            peer.out.write(block);
            peer.readFully(block);
            long after = System.nanoTime();
            samples[n++] = after - before;
            before = after;
        } while (!last);
        return n;
    }

    private static void bulk(StreamPeer peer, int sizeBytes, long warmupNanos, long nanos)
            throws IOException {
        System.out.println("phase=bulk transfer");
        up(peer, sizeBytes, warmupNanos);
        Bulk up = up(peer, sizeBytes, nanos);
        down(peer, sizeBytes, warmupNanos);
        Bulk down = down(peer, sizeBytes, nanos);
        long bytes = up.bytes + down.bytes;
        System.out.printf(Locale.ROOT, "up_mb_per_s=%.1f%n", up.bytes * 1e3 / up.nanos);
        System.out.printf(Locale.ROOT, "down_mb_per_s=%.1f%n", down.bytes * 1e3 / down.nanos);
        System.out.printf(Locale.ROOT, "mb_per_s=%.1f%n", bytes * 1e3 / (up.nanos + down.nanos));
        System.out.println("bulk_bytes=" + bytes);
        System.out.printf(
                Locale.ROOT, "cpu_s_per_gb=%.4f%n", (up.cpuNanos + down.cpuNanos) / (double) bytes);
    }

    private record Bulk(long bytes, long nanos, long cpuNanos) {}

    private static Bulk up(StreamPeer peer, int sizeBytes, long nanos) throws IOException {
        byte[] block = StreamPeer.randomBlock(SEED, sizeBytes);
        long cpu = StreamPeer.cpuNanos();
        long start = System.nanoTime();
        peer.request(StreamPeer.UP, sizeBytes, 0);
        long sent = peer.sendBlocks(block, nanos);
        long seen = peer.dataIn.readLong();
        long taken = System.nanoTime() - start;
        long peerCpu = peer.dataIn.readLong();
        if (seen != sent) {
            throw new IOException("sent " + sent + " bytes, the server saw " + seen);
        }
        return new Bulk(sent, taken, StreamPeer.cpuNanos() - cpu + peerCpu);
    }

    private static Bulk down(StreamPeer peer, int sizeBytes, long nanos) throws IOException {
        byte[] block = new byte[sizeBytes];
        long cpu = StreamPeer.cpuNanos();
        long start = System.nanoTime();
        peer.request(StreamPeer.DOWN, sizeBytes, nanos / 1_000_000);
        long bytes = peer.takeBlocks(block);
        long taken = System.nanoTime() - start;
        long peerCpu = peer.dataIn.readLong();
        return new Bulk(bytes, taken, StreamPeer.cpuNanos() - cpu + peerCpu);
    }

    private static boolean check(StreamPeer peer, int sizeBytes, long amount) throws IOException {
        System.out.println("phase=checking every byte");
        peer.request(StreamPeer.CHECK, sizeBytes, amount);
        byte[] sent = peer.sendRandom(SEED, amount, sizeBytes);
        byte[] received = peer.takeAndHash(amount, sizeBytes);
        byte[] serverReceived = new byte[32];
        byte[] serverSent = new byte[32];
        peer.readFully(serverReceived);
        peer.readFully(serverSent);
        boolean same = Arrays.equals(sent, serverReceived) && Arrays.equals(received, serverSent);
        System.out.println("bytes=" + 2 * amount);
        System.out.println("sha256_sent=" + HexFormat.of().formatHex(sent));
        System.out.println("sha256_received=" + HexFormat.of().formatHex(received));
        System.out.println("verified=" + same);
        return same;
    }
}
