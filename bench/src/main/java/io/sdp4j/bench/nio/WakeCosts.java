package io.sdp4j.bench.nio;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The cost of waking a selector by one byte: on a connection's Unix-domain socket, or on a TCP
 * connection of the loopback interface. Two threads with a selector each send a byte there and back
 * on every connection. {@code WakeCosts [CONNECTIONS...]}; by {@code taskset -c 0} on one
 * processor. Prints the medians of five interleaved rounds of two seconds.
 */
public final class WakeCosts {
    private static final int ROUNDS = 5;
    private static final long ROUND_MILLIS = 2_000;
    private static final long WARM_MILLIS = 3_000;

    private WakeCosts() {}

    /** Measures and prints. */
    public static void main(String[] args) throws Exception {
        int[] counts =
                args.length == 0
                        ? new int[] {1, 64}
                        : Arrays.stream(args).mapToInt(Integer::parseInt).toArray();
        System.out.println("connections  Unix-domain us  TCP us  TCP over Unix-domain, by round");
        for (int connections : counts) {
            double[][] micros = new double[2][ROUNDS];
            measure(StandardProtocolFamily.UNIX, connections, WARM_MILLIS);
            measure(StandardProtocolFamily.INET, connections, WARM_MILLIS);
            for (int round = 0; round < ROUNDS; round++) {
                micros[0][round] = measure(StandardProtocolFamily.UNIX, connections, ROUND_MILLIS);
                micros[1][round] = measure(StandardProtocolFamily.INET, connections, ROUND_MILLIS);
            }
            print(connections, micros[0], micros[1]);
        }
    }

    private static void print(int connections, double[] unix, double[] tcp) {
        List<String> ratios = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            ratios.add(String.format(Locale.ROOT, "%.2f", tcp[round] / unix[round]));
        }
        System.out.printf(
                Locale.ROOT,
                "%11d %15.2f %7.2f  %s%n",
                connections,
                median(unix),
                median(tcp),
                String.join(" ", ratios));
    }

    private static double median(double[] of) {
        double[] sorted = of.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    /** Microseconds that one byte takes there and back, of all connections together. */
    private static double measure(StandardProtocolFamily family, int connections, long millis)
            throws Exception {
        AtomicLong trips = new AtomicLong();
        Selector here = Selector.open();
        Selector there = Selector.open();
        connect(family, connections, here, there);
        Thread asking = new Thread(() -> answer(here, trips));
        Thread answering = new Thread(() -> answer(there, new AtomicLong()));
        asking.start();
        answering.start();
        for (SelectionKey key : here.keys()) {
            ((SocketChannel) key.channel()).write(ByteBuffer.allocate(1));
        }
        long start = System.nanoTime();
        Thread.sleep(millis);
        double micros = (System.nanoTime() - start) / 1e3 / trips.get();
        for (Selector side : List.of(here, there)) {
            for (SelectionKey key : side.keys()) {
                key.channel().close();
            }
            side.close();
        }
        asking.join();
        answering.join();
        return micros;
    }

    private static void connect(
            StandardProtocolFamily family, int connections, Selector here, Selector there)
            throws IOException {
        Path directory = Files.createTempDirectory("wake");
        Path path = directory.resolve("socket");
        SocketAddress any =
                family == StandardProtocolFamily.UNIX
                        ? UnixDomainSocketAddress.of(path)
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (ServerSocketChannel listener = ServerSocketChannel.open(family).bind(any)) {
            for (int i = 0; i < connections; i++) {
                register(SocketChannel.open(listener.getLocalAddress()), here, family);
                register(listener.accept(), there, family);
            }
        } finally {
            Files.deleteIfExists(path);
            Files.delete(directory);
        }
    }

    private static void register(
            SocketChannel channel, Selector selector, StandardProtocolFamily family)
            throws IOException {
        if (family == StandardProtocolFamily.INET) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_READ);
    }

    /** Sends back what comes, until the selector or its channels are closed. */
    private static void answer(Selector selector, AtomicLong trips) {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        try {
            while (selector.isOpen()) {
                selector.select(
                        key -> {
                            one.clear();
                            try {
                                SocketChannel channel = (SocketChannel) key.channel();
                                if (channel.read(one) == 1) {
                                    one.flip();
                                    channel.write(one);
                                    trips.lazySet(trips.get() + 1);
                                }
                            } catch (IOException e) {
                                key.cancel();
                            }
                        });
            }
        } catch (IOException | ClosedSelectorException e) {
            // the round is over
        }
    }
}
