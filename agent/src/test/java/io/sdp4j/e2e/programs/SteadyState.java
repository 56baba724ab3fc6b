package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection to itself that has carried many messages of 64 bytes, and then one more of which a
 * debugger may follow the write and the read: each is between two calls of methods that do nothing.
 */
public final class SteadyState {
    private static final int BYTES = 64;
    private static final int TRIPS = 2_000;
    private static final AtomicInteger ANSWERS = new AtomicInteger();

    private SteadyState() {}

    /** The next call is the write. */
    static void beforeWrite() {}

    static void afterWrite() {}

    /** The next call is the read, and there is something to read. */
    static void beforeRead() {}

    static void afterRead() {}

    /** Prints {@code read=64}. */
    public static void main(String[] args) throws Exception {
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket listener = new ServerSocket(0, 1, here);
                Socket client = new Socket(here, listener.getLocalPort());
                Socket server = listener.accept()) {
            Thread.ofPlatform().daemon().start(() -> echo(server));
            InputStream in = client.getInputStream();
            OutputStream out = client.getOutputStream();
            byte[] message = new byte[BYTES];
            int trips = 0;
            for (int moved = 0; moved < TRIPS; trips++) { // both ways move one after the other
                out.write(message, 0, BYTES);
                in.readNBytes(message, 0, BYTES);
                moved += moved > 0 || RoundTrips.offloaded() ? 1 : 0;
            }
            beforeWrite();
            out.write(message, 0, BYTES);
            afterWrite();
            while (ANSWERS.get() <= trips) {
                Thread.onSpinWait(); // not in the stream, which would take the message
            }
            beforeRead();
            int n = in.read(message, 0, BYTES);
            afterRead();
            System.out.println("read=" + n);
        }
    }

    private static void echo(Socket server) {
        try {
            InputStream in = server.getInputStream();
            OutputStream out = server.getOutputStream();
            byte[] message = new byte[BYTES];
            while (in.readNBytes(message, 0, BYTES) == BYTES) {
                out.write(message, 0, BYTES);
                ANSWERS.incrementAndGet();
            }
        } catch (IOException e) {
            // the other end has closed
        }
    }
}
