package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Many connections on each of which a thread waits to read, or all of which one selector or a group
 * watches: {@code server platform|virtual|channel|selector|async COUNT}, {@code client … COUNT
 * PORT}. Each says {@code UP} when each has exchanged a byte and the next is waited for, and ends
 * with its standard input.
 */
public final class IdleCrowd {
    /** A client that moves asks for it, and one that is garbage is closed. */
    private static ServerSocket listener;

    private IdleCrowd() {}

    /** Waits. */
    public static void main(String[] args) throws Exception {
        InetAddress loopback = InetAddress.ofLiteral("127.0.0.1");
        if (List.of("channel", "selector", "async").contains(args[1])) {
            boolean server = args[0].equals("server");
            int port = server ? 0 : Integer.parseInt(args[3]);
            IdleChannels crowd = new IdleChannels(server, Integer.parseInt(args[2]));
            InetSocketAddress at = new InetSocketAddress(loopback, port);
            switch (args[1]) {
                case "async" -> crowd.async(at);
                case "selector" -> crowd.select(at);
                default -> crowd.block(at);
            }
            System.in.read();
            System.exit(0);
        }
        boolean virtual = args[1].equals("virtual");
        int count = Integer.parseInt(args[2]);
        List<Socket> sockets = new ArrayList<>();
        CountDownLatch talked = new CountDownLatch(count);
        if (args[0].equals("server")) {
            listener = new ServerSocket(0, count, loopback);
            System.out.println("READY " + listener.getLocalPort());
            for (int i = 0; i < count; i++) {
                sockets.add(listener.accept());
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
