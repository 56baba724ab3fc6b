package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Streams without end from a {@code client PORT} to a {@code server}.
 *
 * <p>Prints {@code UP} when 64 MiB have passed, and {@code END what} when the stream breaks.
 */
public final class Pump {
    private static final long UP_BYTES = 64L << 20;

    private Pump() {}

    /** Connects or accepts, streams, prints. */
    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
                System.out.println("READY " + listener.getLocalPort());
                try (Socket socket = listener.accept()) {
                    drain(socket.getInputStream());
                }
            }
        } else {
            try (Socket socket = new Socket(loopback, Integer.parseInt(args[1]))) {
                fill(socket.getOutputStream());
            }
        }
    }

    private static void drain(InputStream in) {
        byte[] bytes = new byte[65_536];
        long total = 0;
        try {
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                total = add(total, n);
            }
            System.out.println("END -1");
        } catch (IOException end) {
            System.out.println("END " + end);
        }
    }

    private static void fill(OutputStream out) {
        byte[] bytes = new byte[65_536];
        long total = 0;
        try {
            while (true) {
                out.write(bytes);
                total = add(total, bytes.length);
            }
        } catch (IOException end) {
            System.out.println("END " + end);
        }
    }

    private static long add(long total, int n) {
        if (total < UP_BYTES && total + n >= UP_BYTES) {
            System.out.println("UP");
        }
        return total + n;
    }
}
