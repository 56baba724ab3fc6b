package io.sdp4j.bench.cold;

import io.sdp4j.bench.net.Place;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;

/**
 * The answering JVM: {@code ColdServer selector}, or anything else for a thread for each
 * connection, prints {@code READY PORT} and sends back what each connection brings, until its
 * standard input ends.
 */
public final class ColdServer {
    private ColdServer() {}

    /** Serves until standard input ends, and ends the JVM. */
    public static void main(String[] args) throws IOException {
        System.out.println("READY " + (args[0].equals("selector") ? select() : accept()));
        while (System.in.read() >= 0) {
            // the measuring side says nothing; the end of it is the end of this
        }
        System.exit(0);
    }

    private static int accept() throws IOException {
        ServerSocket listener = new ServerSocket(0, 50, Place.here());
        Thread.ofPlatform().daemon().name("accept").start(() -> serve(listener));
        return listener.getLocalPort();
    }

    private static int select() throws IOException {
        ServerSocketChannel listener =
                ServerSocketChannel.open().bind(new InetSocketAddress(Place.here(), 0));
        Thread.ofPlatform()
                .daemon()
                .name("select")
                .start(
                        () -> {
                            try {
                                ColdConnects.serve(listener);
                            } catch (IOException closed) {
                                throw new IllegalStateException(closed);
                            }
                        });
        return listener.socket().getLocalPort();
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
