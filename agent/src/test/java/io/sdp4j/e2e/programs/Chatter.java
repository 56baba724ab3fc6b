package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.function.BooleanSupplier;

/**
 * Connections that carry enough to be worth moving: {@code server CONNECTIONS} answers each byte of
 * each, {@code client PORT CONNECTIONS SECONDS} makes them one after the other. Each lasts so long,
 * the last one also until standard input ends.
 */
public final class Chatter {
    private static volatile boolean inputOver;

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
        Thread.ofPlatform().daemon().start(Chatter::awaitEndOfInput);
        int connections = Integer.parseInt(args[2]);
        long nanos = Long.parseLong(args[3]) * 1_000_000_000;
        long turns = 0;
        for (int i = 1; i <= connections; i++) {
            boolean last = i == connections;
            long start = System.nanoTime();
            try (Socket socket = new Socket(loopback, Integer.parseInt(args[1]))) {
                turns +=
                        talkUntil(
                                () -> System.nanoTime() - start >= nanos && (!last || inputOver),
                                socket);
            }
        }
        System.out.println("turns=" + turns);
    }

    private static void awaitEndOfInput() {
        try {
            inputOver = System.in.read() < 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long talkUntil(BooleanSupplier over, Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        OutputStream out = socket.getOutputStream();
        long turns = 0;
        for (; !over.getAsBoolean(); turns++) {
            out.write((int) turns);
            if (in.read() != (turns & 0xff)) {
                throw new IOException("another byte");
            }
        }
        return turns;
    }
}
