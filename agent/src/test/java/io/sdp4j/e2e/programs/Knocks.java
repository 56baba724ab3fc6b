package io.sdp4j.e2e.programs;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Hand-shakes without end: {@code server} accepts whatever comes, {@code client THREADS PORT...}
 * makes connections to each port and ends them, and {@code knock COUNT DIRECTORY} says half a Hello
 * on so many sockets of a rendezvous directory, again and again.
 *
 * <p>Each says {@code UP} when it has begun.
 */
public final class Knocks {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
    private static final int HALF_A_HELLO = 320;

    private Knocks() {}

    /** Does so until it is ended. */
    public static void main(String[] args) throws IOException {
        switch (args[0]) {
            case "server" -> serve();
            case "client" -> {
                for (int port = 2; port < args.length; port++) {
                    int to = Integer.parseInt(args[port]);
                    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                        Thread.ofPlatform().start(() -> call(to));
                    }
                }
                System.out.println("UP");
            }
            default -> knock(Integer.parseInt(args[1]), Path.of(args[2]));
        }
    }

    private static void serve() throws IOException {
        try (ServerSocket listener = new ServerSocket(0, 200, LOOPBACK)) {
            System.out.println("READY " + listener.getLocalPort());
            for (long count = 0; ; count++) {
                try (Socket socket = listener.accept()) {
                    socket.getOutputStream().write(1);
                }
                if (count == 0) {
                    System.out.println("UP");
                }
            }
        }
    }

    private static void call(int port) {
        while (true) {
            try (Socket socket = new Socket(LOOPBACK, port)) {
                socket.getInputStream().read();
            } catch (IOException ended) {
                // the server has
            }
        }
    }

    private static void knock(int count, Path directory) throws IOException {
        List<Path> names;
        try (Stream<Path> all = Files.find(directory, 5, (_, what) -> what.isOther())) {
            names = all.toList();
        }
        Queue<SocketChannel> open = new ArrayDeque<>();
        for (int n = 0; ; n++) {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            open.add(channel);
            channel.configureBlocking(false);
            try {
                if (channel.connect(UnixDomainSocketAddress.of(names.get(n % names.size())))) {
                    channel.write(ByteBuffer.allocate(HALF_A_HELLO));
                }
            } catch (IOException full) {
                LockSupport.parkNanos(1_000_000); // or it has ended
            }
            if (open.size() == count) {
                open.remove().close();
            }
            if (n == count) {
                System.out.println("UP");
            }
        }
    }
}
