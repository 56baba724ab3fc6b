package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes pieces to a peer that is behind, and ends without closing: {@code reader WRITES}, or
 * {@code writer PORT PIECE_BYTES PIECES READS exit|return|throw|halt|exhaust|wait}.
 *
 * <p>The reader writes so many bytes at once, says {@code UP}, begins to read when it is told a
 * line, and prints how many bytes came, whether the right ones, and how it ended. The writer reads
 * so many bytes and not more, writes, says {@code WRITTEN}, and ends; or waits to be killed. One
 * that throws leaves a daemon behind that reads on; one that exhausts its heap ends as its options
 * say.
 */
public final class LastWords {
    /** Keeps the connection open until the end. */
    @SuppressWarnings("unused")
    private static Socket held;

    private static final List<byte[]> HEAP = new ArrayList<>();

    private LastWords() {}

    /** Writes or reads. */
    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args[0].equals("reader")) {
            read(loopback, Integer.parseInt(args[1]));
            return;
        }
        held = new Socket(loopback, Integer.parseInt(args[1]));
        int pieceBytes = Integer.parseInt(args[2]);
        int pieces = Integer.parseInt(args[3]);
        int reads = Integer.parseInt(args[4]);
        held.getInputStream().readNBytes(reads);
        OutputStream out = held.getOutputStream();
        long written = 0;
        for (int i = 0; i < pieces; i++) {
            byte[] piece = new byte[pieceBytes];
            for (int n = 0; n < pieceBytes; n++) {
                piece[n] = byteAt(written++);
            }
            out.write(piece);
        }
        System.out.println("WRITTEN");
        switch (args[5]) {
            case "exit" -> System.exit(0);
            case "halt" -> Runtime.getRuntime().halt(0);
            case "wait" -> System.in.read();
            case "throw" -> {
                InputStream in = held.getInputStream();
                Thread.ofPlatform().daemon().start(() -> readOn(in));
                throw new IllegalStateException("meant to end");
            }
            case "exhaust" -> {
                while (true) {
                    HEAP.add(new byte[1 << 20]);
                }
            }
            default -> {} // returns
        }
    }

    private static void readOn(InputStream in) {
        try {
            in.readAllBytes();
        } catch (IOException ended) {
            // nothing more to come
        }
    }

    private static byte byteAt(long position) {
        return (byte) (position * 31 + (position >>> 8));
    }

    private static void read(InetAddress loopback, int writes) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
            System.out.println("READY " + listener.getLocalPort());
            try (Socket socket = listener.accept()) {
                socket.getOutputStream().write(new byte[writes]);
                System.out.println("UP");
                System.in.read();
                InputStream in = socket.getInputStream();
                long bytes = 0;
                boolean right = true;
                String end = "in order";
                byte[] some = new byte[1000];
                try {
                    for (int n = in.read(some); n >= 0; n = in.read(some)) {
                        for (int i = 0; i < n; i++) {
                            right &= some[i] == byteAt(bytes++);
                        }
                    }
                } catch (IOException e) {
                    end = e.toString();
                }
                System.out.println("bytes=" + bytes);
                System.out.println("right=" + right);
                System.out.println("end=" + end);
            }
        }
    }
}
