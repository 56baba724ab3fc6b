package io.sdp4j.bench.cold;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * {@code ShortProgram PORT}: connects, makes 20 round trips of 64 bytes, prints {@code connect
 * NANOSECONDS exit NANOTIME}, and returns: the whole life of many tools.
 */
public final class ShortProgram {
    private static final int TRIPS = 20;

    private ShortProgram() {}

    public static void main(String[] args) throws IOException {
        InetSocketAddress server = new InetSocketAddress(Place.here(), Integer.parseInt(args[0]));
        try (Socket socket = new Socket()) {
            long start = System.nanoTime();
            socket.connect(server);
            long connectNanos = System.nanoTime() - start;
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            byte[] message = new byte[64];
            for (int i = 0; i < TRIPS; i++) {
                ColdClient.trip(in, out, message);
            }
            System.out.println("connect " + connectNanos + " exit " + System.nanoTime());
        }
    }
}
