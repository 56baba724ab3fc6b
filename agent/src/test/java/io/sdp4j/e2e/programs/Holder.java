package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Holds one connection and waits for its end: {@code server}, or {@code client PORT}.
 *
 * <p>Exchanges one byte first, so that both sides are established; prints {@code UP} then, and
 * {@code END what} when the read it waits in comes back.
 */
public final class Holder {
    private Holder() {}

    /** Connects or accepts, waits, prints. */
    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 1, loopback)) {
                System.out.println("READY " + listener.getLocalPort());
                hold(listener.accept());
            }
        } else {
            hold(new Socket(loopback, Integer.parseInt(args[1])));
        }
    }

    private static void hold(Socket socket) throws IOException {
        try (socket) {
            socket.getOutputStream().write(1);
            InputStream in = socket.getInputStream();
            in.read();
            System.out.println("UP");
            try {
                System.out.println("END " + in.read());
            } catch (IOException end) {
                System.out.println("END " + end);
            }
        }
    }
}
