package io.sdp4j.e2e.programs;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.FutureTask;

/**
 * Connections that are watched while they move, with a client that has no listener. {@code server},
 * or {@code client PORT}: until standard input ends one thread writes numbers, and another waits
 * for the answer to all of them, which is their sum.
 */
public final class EarlyStreams {
    private EarlyStreams() {}

    /** Serves one connection, or makes it. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                System.out.println("READY " + listener.getLocalPort());
                try (Socket socket = listener.accept()) {
                    serve(socket);
                }
            }
            System.out.println("summed=all");
        } else {
            client(Integer.parseInt(args[1]));
        }
    }

    static void serve(Socket socket) throws IOException {
        new DataOutputStream(socket.getOutputStream()).writeLong(sum(socket.getInputStream()));
    }

    private static long sum(InputStream from) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(from, 1 << 16));
        long sum = 0;
        for (long n = in.readLong(); n != 0; n = in.readLong()) {
            sum = sum * 31 + n;
        }
        return sum;
    }

    private static void client(int port) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            FutureTask<Long> answer = new FutureTask<>(in::readLong);
            Thread.ofPlatform().start(answer);
            long sum = write(socket.getOutputStream());
            System.out.println("answer=" + (answer.get() == sum ? "right" : "wrong"));
        }
    }

    private static long write(OutputStream to) throws IOException {
        DataOutputStream out = new DataOutputStream(new java.io.BufferedOutputStream(to, 4096));
        FutureTask<Integer> inputEnds = new FutureTask<>(System.in::read);
        Thread.ofPlatform().daemon().start(inputEnds);
        long sum = 0;
        for (long n = 1; !inputEnds.isDone(); n++) {
            out.writeLong(n);
            sum = sum * 31 + n;
        }
        out.writeLong(0);
        out.flush();
        return sum;
    }
}
