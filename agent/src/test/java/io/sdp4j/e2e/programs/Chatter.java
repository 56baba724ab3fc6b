package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Connections that carry enough to be worth moving: {@code server CONNECTIONS} answers each byte of
 * each, {@code client PORT CONNECTIONS SECONDS} makes them one after the other.
 */
public final class Chatter {
    private Chatter() {}

    /** Serves connections, or makes them. */
    public static void main(String[] args) throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 5, loopback)) {
                System.out.println("READY " + listener.getLocalPort());
                for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                    try (Socket socket = listener.accept()) {
                        socket.getInputStream().transferTo(socket.getOutputStream());
                    }
                }
            }
            return;
        }
        long turns = 0;
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            try (Socket socket = new Socket(loopback, Integer.parseInt(args[1]))) {
                turns += talk(socket, Long.parseLong(args[3]) * 1_000_000_000);
            }
        }
        System.out.println("turns=" + turns);
    }

    private static long talk(Socket socket, long nanos) throws IOException {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        long turns = 0;
        for (long start = System.nanoTime(); System.nanoTime() - start < nanos; turns++) {
            out.write((int) turns);
            if (in.read() != (turns & 0xff)) {
                throw new IOException("another byte");
            }
        }
        return turns;
    }
}
