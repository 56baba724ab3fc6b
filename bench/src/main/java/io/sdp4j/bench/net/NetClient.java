package io.sdp4j.bench.net;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The measuring JVM of the benchmark: {@code NetClient TARGET}, then {@link Commands}:
 *
 * <ul>
 *   <li>{@code echo SIZE PAIRS WARM_MS MEASURE_MS}: {@link LinkWork#echo};
 *   <li>{@code echo-beside SIZE WARM_MS MEASURE_MS}: the same with one pair, while as many threads
 *       as there are processors run endless loops;
 *   <li>{@code paced SIZE WARM_MS MEASURE_MS}: {@link LinkWork#paced};
 *   <li>{@code idle CONNECTIONS WARM_MS MEASURE_MS}: {@link LinkWork#idle};
 *   <li>{@code sink SIZE WARM_MS MEASURE_MS}: {@link LinkWork#sink};
 *   <li>{@code sink-bounded SIZE WARM_MS MEASURE_MS}: the same with SO_SNDBUF of that size, which
 *       keeps the kernel from tuning it: otherwise chance makes one connection up to twice as fast
 *       as the next, and differences of some per cent cannot be seen;
 *   <li>{@code connect WARM_MS MEASURE_MS}: connect, write one byte, read the end of the stream,
 *       close; {@code p50}, {@code p99} in nanoseconds;
 *   <li>{@code connect-only WARM_MS MEASURE_MS}: the same, but only the first of it is timed, and a
 *       rest between the connections lets the end of one be over before the next begins: a socket's
 *       close leaves the rest of it to the background, which one processor does in the next one's
 *       time otherwise. The other side of a comparison pauses as long;
 *   <li>{@code channel-sink SIZE WARM_MS MEASURE_MS}: {@code sink} with blocking channels and
 *       direct buffers, where the server listens with one.
 * </ul>
 *
 * Every command uses fresh connections. Round trips set TCP_NODELAY, the rest is as the JDK makes
 * it: each is the choice that suits kernel TCP best. Round trips are timed one by one into an array
 * allocated before.
 */
public final class NetClient implements Commands.Handler {
    /** Ends of connections take less. */
    private static final int REST_MS = 5;

    private final String target;

    /** Port of the channel that listens; empty if none does. */
    private final String channels;

    private final LinkWork work;

    private NetClient(String ports) {
        String[] each = ports.split(",", 2);
        target = each[0];
        channels = each.length > 1 ? each[1] : "";
        work = bounded(0);
    }

    private Link channel() throws IOException {
        return new Link.ChannelLink(
                SocketChannel.open(
                        new InetSocketAddress(Place.here(), Integer.parseInt(channels))));
    }

    /** Links whose send buffer has so many bytes; 0 = as the system makes it. */
    private LinkWork bounded(int sendBufferBytes) {
        return new LinkWork(() -> Link.connect(target, sendBufferBytes));
    }

    public static void main(String[] args) throws IOException {
        Commands.obey(new NetClient(args[0]));
    }

    @Override
    public String obey(String command, int[] numbers) throws Exception {
        return switch (command) {
            case "echo" -> work.echo(numbers[0], numbers[1], numbers[2], numbers[3]);
            case "echo-beside" -> echoBesideLoops(numbers[0], numbers[1], numbers[2]);
            case "paced" -> work.paced(numbers[0], numbers[1], numbers[2]);
            case "idle" -> work.idle(numbers[0], numbers[1], numbers[2]);
            case "sink" -> work.sink(numbers[0], numbers[1], numbers[2]);
            case "sink-bounded" -> bounded(numbers[0]).sink(numbers[0], numbers[1], numbers[2]);
            case "connect" -> connects(numbers[0], numbers[1], false);
            case "connect-only" -> connects(numbers[0], numbers[1], true);
            case "channel-sink" ->
                    new LinkWork(this::channel).sink(numbers[0], numbers[1], numbers[2]);
            default -> throw new IOException("unknown command " + command);
        };
    }

    private String echoBesideLoops(int sizeBytes, int warmMs, int measureMs) throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        Runnable loop =
                () -> {
                    while (!over.getPlain()) {
                        VarHandle.loadLoadFence(); // keeps the look in the loop, and costs nothing
                    }
                };
        List<Thread> loops = new ArrayList<>();
        for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
            loops.add(Thread.ofPlatform().daemon().name("loop-" + i).start(loop));
        }
        try {
            return work.echo(sizeBytes, 1, warmMs, measureMs);
        } finally {
            over.set(true);
            for (Thread thread : loops) {
                thread.join();
            }
        }
    }

    private String connects(int warmMs, int measureMs, boolean only)
            throws IOException, InterruptedException {
        Samples samples = new Samples(Math.max(warmMs, measureMs), 1);
        connects(samples, warmMs, only, 0); // as many as can be
        samples.clear();
        connects(samples, measureMs, only, only ? REST_MS : 0);
        return Samples.text(Samples.sorted(List.of(samples)));
    }

    private void connects(Samples samples, int forMs, boolean only, int restMs)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        boolean full;
        do {
            long before = System.nanoTime();
            long connected;
            try (Socket socket = Link.socket(target, 0)) {
                connected = System.nanoTime();
                socket.getOutputStream().write(NetServer.CLOSE);
                if (socket.getInputStream().read() >= 0) {
                    throw new IOException("a byte that was not sent");
                }
            }
            full = samples.add((only ? connected : System.nanoTime()) - before);
            if (restMs > 0) {
                Thread.sleep(restMs);
            }
        } while (!full && System.nanoTime() - start < forMs * 1_000_000L);
    }
}
