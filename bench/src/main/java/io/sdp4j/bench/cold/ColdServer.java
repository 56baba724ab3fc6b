package io.sdp4j.bench.cold;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * The answering JVM: {@code ColdServer ANYTHING} prints {@code READY PORT} and sends back what each
 * connection brings, until its standard input ends.
 */
public final class ColdServer {
    private ColdServer() {}

    /** Serves until standard input ends, and ends the JVM. */
    public static void main(String[] args) throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, Place.here());
        Thread.ofPlatform().daemon().name("accept").start(() -> serve(listener));
        System.out.println("READY " + listener.getLocalPort());
        while (System.in.read() >= 0) {
            // the measuring side says nothing; the end of it is the end of this
        }
        System.exit(0);
    }

    private static void serve(ServerSocket listener) {
        try {
            while (true) {
                Socket socket = listener.accept();
                Thread.ofPlatform().daemon().name("echo").start(() -> echo(socket));
            }
        } catch (IOException closed) {
            throw new IllegalStateException(closed); // ends this thread, seen on standard error
        }
    }

    private static void echo(Socket socket) {
        byte[] buffer = new byte[8192];
        try (socket) {
            socket.setTcpNoDelay(true);
            InputStream in = socket.getInputStream();
            OutputStream out = socket.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
        } catch (IOException reset) {
            System.err.println("echo: " + reset);
        }
    }
}
