package io.sdp4j.e2e.programs;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program with a resolver of its own, under rules that name hosts. {@code first KIND}: makes its
 * first socket, for which the resolver is asked. {@code close KIND RULES PORT}: closes sockets
 * while a thread that connects or binds them waits for a host of new rules.
 */
public final class HostNames {
    private static final Thread MAIN = Thread.currentThread();
    private static final CompletableFuture<Boolean> BESIDE = new CompletableFuture<>();

    private static volatile Closeable current; // is connected or bound now

    private HostNames() {}

    /** Prints whether the other thread still waited for the host: {@code beside}. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("first")) {
            try (Closeable _ = args[1].equals("socket") ? new Socket() : SocketChannel.open()) {
                System.out.println("beside=" + BESIDE.get(20, TimeUnit.SECONDS));
            }
            return;
        }
        new Socket().close();
        int port = Integer.parseInt(args[3]);
        Thread user = Thread.ofPlatform().daemon().start(() -> use(args[1].equals("socket"), port));
        boolean beside = false;
        for (int i = 0; i < 10 && !beside; i++) {
            Path fresh = Files.writeString(Path.of(args[2] + ".new"), rule("silent" + i));
            Files.move(fresh, Path.of(args[2]), StandardCopyOption.REPLACE_EXISTING);
            awaitWaiting(user, true);
            Closeable closed = current;
            if (closed != null) {
                closed.close();
                beside = waits(user);
            }
            awaitWaiting(user, false);
        }
        System.out.println("beside=" + beside);
    }

    private static String rule(String host) {
        return "use tcp client * " + host + ".test:1\n";
    }

    private static boolean waits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(f -> f.getMethodName().equals("awaitAnswers"));
    }

    private static void awaitWaiting(Thread thread, boolean wanted) throws InterruptedException {
        while (waits(thread) != wanted) {
            Thread.sleep(1);
        }
    }

    /** Connects or binds one socket after the other. */
    private static void use(boolean connects, int port) {
        InetAddress here = InetAddress.getLoopbackAddress();
        while (true) {
            current = null;
            try (Socket socket = new Socket();
                    ServerSocket listener = new ServerSocket()) {
                current = connects ? socket : listener;
                Thread.sleep(1);
                if (connects) {
                    socket.connect(new InetSocketAddress(here, port));
                } else {
                    listener.bind(new InetSocketAddress(here, 0));
                }
            } catch (IOException | InterruptedException e) {
                // it was closed
            }
        }
    }

    /** Opens sockets to find a host, as one in Java does; never finds a silent one. */
    public static final class Resolver extends InetAddressResolverProvider {
        @Override
        public String name() {
            return "test";
        }

        @Override
        public InetAddressResolver get(Configuration configuration) {
            InetAddressResolver jdk = configuration.builtinResolver();
            return new InetAddressResolver() {
                @Override
                public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
                        throws UnknownHostException {
                    if (host.equals("named.test")) {
                        return Stream.of(named());
                    }
                    return host.startsWith("silent") ? silence() : jdk.lookupByName(host, policy);
                }

                @Override
                public String lookupByAddress(byte[] address) throws UnknownHostException {
                    return jdk.lookupByAddress(address);
                }
            };
        }

        private static InetAddress named() {
            try (Socket _ = new Socket();
                    ServerSocket _ = new ServerSocket();
                    DatagramSocket _ = new DatagramSocket();
                    SocketChannel _ = SocketChannel.open();
                    AsynchronousSocketChannel _ = AsynchronousSocketChannel.open();
                    Selector _ = Selector.open()) {
                BESIDE.complete(waits(MAIN));
            } catch (IOException e) {
                BESIDE.completeExceptionally(e);
            }
            return InetAddress.ofLiteral("127.0.0.1");
        }

        private static Stream<InetAddress> silence() throws UnknownHostException {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new UnknownHostException();
        }
    }
}
