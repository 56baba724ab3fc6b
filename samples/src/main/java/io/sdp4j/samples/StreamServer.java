package io.sdp4j.samples;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HexFormat;
import java.util.Locale;

/**
 * The serving end of the round-trip and bulk measurement; {@link StreamClient} leads.
 *
 * <p>Options: {@code --host} (default 127.0.0.1), {@code --port} (0 takes a free one), {@code
 * --connections} to serve one after the other before it ends (default 1).
 *
 * <p>Prints {@code READY port}, then for each connection {@code bytes}, {@code sha256_received},
 * {@code sha256_sent} of the checked phase, and at the end {@code cpu_seconds} of the process.
 */
public final class StreamServer {
    /** Seed of what the server sends in the checked phase. */
    static final long SEED = 0x5e27e2;

    private StreamServer() {}

    /** Listens, serves, prints. */
    public static void main(String[] args) throws IOException {
        Options options = Options.parse(args, "host", "port", "connections");
        InetAddress host = InetAddress.getByName(options.text("host", "127.0.0.1"));
        try (ServerSocket listener = new ServerSocket(options.number("port", 0), 50, host)) {
            System.out.println("READY " + listener.getLocalPort());
            for (int left = options.number("connections", 1); left > 0; left--) {
                try (Socket socket = listener.accept()) {
                    serve(new StreamPeer(socket));
                }
            }
        }
        System.out.printf(Locale.ROOT, "cpu_seconds=%.3f%n", StreamPeer.cpuNanos() / 1e9);
    }

    private static void serve(StreamPeer peer) throws IOException {
        while (true) {
            int op = peer.dataIn.readUnsignedByte();
            int sizeBytes = peer.dataIn.readInt();
            long amount = peer.dataIn.readLong();
            switch (op) {
                case StreamPeer.PING -> echo(peer, new byte[sizeBytes]);
                case StreamPeer.UP -> {
                    long cpu = StreamPeer.cpuNanos();
                    long bytes = peer.takeBlocks(new byte[sizeBytes]);
                    peer.dataOut.writeLong(bytes);
                    peer.dataOut.writeLong(StreamPeer.cpuNanos() - cpu);
                }
                case StreamPeer.DOWN -> {
                    long cpu = StreamPeer.cpuNanos();
                    peer.sendBlocks(StreamPeer.randomBlock(SEED, sizeBytes), amount * 1_000_000);
                    peer.dataOut.writeLong(StreamPeer.cpuNanos() - cpu);
                }
                case StreamPeer.CHECK -> check(peer, sizeBytes, amount);
                case StreamPeer.QUIT -> {
                    return;
                }
                default -> throw new IOException("unknown request " + op);
            }
        }
    }

    private static void echo(StreamPeer peer, byte[] block) throws IOException {
        do {
            peer.readFully(block);
            peer.out.write(block);
        } while (block[0] != 0);
    }

    private static void check(StreamPeer peer, int sizeBytes, long amount) throws IOException {
        byte[] received = peer.takeAndHash(amount, sizeBytes);
        byte[] sent = peer.sendRandom(SEED, amount, sizeBytes);
        peer.out.write(received);
        peer.out.write(sent);
        System.out.println("bytes=" + 2 * amount);
        System.out.println("sha256_received=" + HexFormat.of().formatHex(received));
        System.out.println("sha256_sent=" + HexFormat.of().formatHex(sent));
    }
}
