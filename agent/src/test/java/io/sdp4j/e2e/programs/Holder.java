package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.management.JMException;

/**
 * Holds one connection and waits for its end: {@code server WHEN}, or {@code client WHEN PORT}.
 *
 * <p>Exchanges one byte first, so that both sides are established, or, if WHEN is {@code moved},
 * bytes until both have offloaded it; prints {@code UP} then, and {@code END what} when the read it
 * waits in comes back.
 */
public final class Holder {
    private Holder() {}

    /** Connects or accepts, waits, prints. */
    public static void main(String[] args) throws IOException, JMException {
        boolean moves = args[1].equals("moved");
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
                System.out.println("READY " + listener.getLocalPort());
                hold(listener.accept(), moves);
            }
        } else {
            hold(new Socket(loopback, Integer.parseInt(args[2])), moves);
        }
    }

    private static void hold(Socket socket, boolean moves) throws IOException, JMException {
        try (socket) {
            InputStream in = socket.getInputStream();
            boolean up = false;
            while (!up) { // both ends see the same two bytes, and so the same last round
                int mine = !moves || RoundTrips.offloaded() ? 1 : 0;
                socket.getOutputStream().write(mine);
                up = (in.read() & mine) == 1;
            }
            System.out.println("UP");
            try {
                System.out.println("END " + in.read());
            } catch (IOException end) {
                System.out.println("END " + end);
            }
        }
    }
}
