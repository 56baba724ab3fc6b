package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * {@code PORT MILLIS}: connects at once, in less time than the switch takes to start. With {@code
 * platform} or {@code virtual}: on such a thread, which is interrupted.
 */
public final class Hurried {
    private Hurried() {}

    /**
     * Prints whether it is {@code connected}, for how many {@code millis} it tried, and why not.
     */
    public static void main(String[] args) throws InterruptedException {
        if (args.length == 2) {
            connect(args);
            return;
        }
        Thread.Builder kind = args[2].equals("virtual") ? Thread.ofVirtual() : Thread.ofPlatform();
        kind.start(
                        () -> {
                            Thread.currentThread().interrupt();
                            connect(args);
                            System.out.println("interrupted=" + Thread.interrupted());
                        })
                .join();
    }

    private static void connect(String[] args) {
        int port = Integer.parseInt(args[0]);
        InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Socket socket = new Socket();
        String problem = "none";
        long start = System.nanoTime();
        try {
            socket.connect(to, Integer.parseInt(args[1]));
        } catch (IOException e) {
            problem = e.toString();
        }
        System.out.println("millis=" + (System.nanoTime() - start) / 1_000_000);
        System.out.println("connected=" + socket.isConnected());
        System.out.println("problem=" + problem);
    }
}
