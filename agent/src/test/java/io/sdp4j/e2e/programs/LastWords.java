package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Writes many small pieces to a peer that does not read yet, and ends in order, but without
 * closing: {@code reader}, or {@code writer PORT PIECES exit|return}. The reader begins when it is
 * told a line, and prints how many bytes came, whether the right ones, and how it ended.
 */
public final class LastWords {
    /** Bytes of a piece. */
    public static final int PIECE_BYTES = 3;

    /** Keeps the connection open until the end. */
    @SuppressWarnings("unused")
    private static Socket held;

    private LastWords() {}

    /** Writes or reads. */
    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args[0].equals("reader")) {
            read(loopback);
            return;
        }
        held = new Socket(loopback, Integer.parseInt(args[1]));
        OutputStream out = held.getOutputStream();
        int pieces = Integer.parseInt(args[2]);
        for (int i = 0; i < pieces; i++) {
            byte[] piece = new byte[PIECE_BYTES];
            java.util.Arrays.fill(piece, (byte) i);
            out.write(piece);
        }
        if (args[3].equals("exit")) {
            System.exit(0);
        }
    }

    private static void read(InetAddress loopback) throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
            System.out.println("READY " + listener.getLocalPort());
            try (Socket socket = listener.accept()) {
                System.in.read();
                InputStream in = socket.getInputStream();
                int bytes = 0;
                boolean right = true;
                String end = "in order";
                try {
                    for (int b = in.read(); b >= 0; b = in.read()) {
                        right &= (byte) b == (byte) (bytes++ / PIECE_BYTES);
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
