package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Many connections on each of which a thread waits to read: {@code server platform|virtual COUNT},
 * {@code client platform|virtual COUNT PORT}. Each says {@code UP} when every thread has exchanged
 * a byte and waits for the next, and ends with its standard input.
 */
public final class IdleCrowd {
    private IdleCrowd() {}

    /** Waits. */
    public static void main(String[] args) throws Exception {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        boolean virtual = args[1].equals("virtual");
        int count = Integer.parseInt(args[2]);
        List<Socket> sockets = new ArrayList<>();
        CountDownLatch talked = new CountDownLatch(count);
        if (args[0].equals("server")) {
            try (ServerSocket listener = new ServerSocket(0, count, loopback)) {
                System.out.println("READY " + listener.getLocalPort());
                for (int i = 0; i < count; i++) {
                    sockets.add(listener.accept());
                }
            }
        } else {
            for (int i = 0; i < count; i++) {
                sockets.add(new Socket(loopback, Integer.parseInt(args[3])));
            }
        }
        for (Socket socket : sockets) {
            Runnable reader = () -> read(socket, talked);
            if (virtual) {
                Thread.ofVirtual().start(reader);
            } else {
                Thread.ofPlatform().daemon().start(reader);
            }
        }
        talked.await();
        System.out.println("UP");
        System.in.read();
        System.exit(0);
    }

    private static void read(Socket socket, CountDownLatch talked) {
        try {
            socket.getOutputStream().write(1);
            socket.getInputStream().read();
            talked.countDown();
            socket.getInputStream().read();
        } catch (IOException e) {
            System.err.println(e);
        }
    }
}
