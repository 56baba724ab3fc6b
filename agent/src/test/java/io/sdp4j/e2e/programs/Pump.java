package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.management.JMException;

/**
 * Streams without end from a {@code client WHEN PORT} to a {@code server WHEN}.
 *
 * <p>Prints {@code UP} when 64 MiB have passed and, if WHEN is {@code moved}, the connection has
 * been offloaded; and {@code END what} when the stream breaks.
 */
public final class Pump {
    private static final long UP_BYTES = 64L << 20;

    private final boolean moves;
    private long total;
    private boolean up;

    private Pump(boolean moves) {
        this.moves = moves;
    }

    /** Connects or accepts, streams, prints. */
    public static void main(String[] args) throws IOException, JMException {
        Pump pump = new Pump(args[1].equals("moved"));
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
                System.out.println("READY " + listener.getLocalPort());
                try (Socket socket = listener.accept()) {
                    pump.drain(socket.getInputStream());
                }
            }
        } else {
            try (Socket socket = new Socket(loopback, Integer.parseInt(args[2]))) {
                pump.fill(socket.getOutputStream());
            }
        }
    }

    private void drain(InputStream in) throws JMException {
        byte[] bytes = new byte[65_536];
        try {
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                add(n);
            }
            System.out.println("END -1");
        } catch (IOException end) {
            System.out.println("END " + end);
        }
    }

    private void fill(OutputStream out) throws JMException {
        byte[] bytes = new byte[65_536];
        try {
            while (true) {
                out.write(bytes);
                add(bytes.length);
            }
        } catch (IOException end) {
            System.out.println("END " + end);
        }
    }

    private void add(int n) throws JMException {
        total += n;
        if (!up && total >= UP_BYTES && (!moves || RoundTrips.offloaded())) {
            up = true;
            System.out.println("UP");
        }
    }
}
