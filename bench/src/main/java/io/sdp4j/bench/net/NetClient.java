package io.sdp4j.bench.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The measuring JVM of the benchmark: {@code NetClient TARGET}, then one command a line on standard
 * input, one answer a line on standard output ({@code ok name=value …} or {@code failed …}):
 *
 * <ul>
 *   <li>{@code echo SIZE PAIRS WARM_MS MEASURE_MS}: round trips on so many connections at once;
 *       {@code p50}, {@code p99} in nanoseconds, {@code alloc} heap bytes per read or write call;
 *   <li>{@code sink SIZE WARM_MS MEASURE_MS}: writes of that size one way, until the server has
 *       read them; {@code writes} and {@code bytes} per second, {@code cpu} nanoseconds of both
 *       processes per byte (equal to CPU seconds per 10^9 bytes), {@code alloc} heap bytes per
 *       write;
 *   <li>{@code sink-bounded SIZE WARM_MS MEASURE_MS}: the same with SO_SNDBUF of that size, which
 *       keeps the kernel from tuning it: otherwise chance makes one connection up to twice as fast
 *       as the next, and differences of some per cent cannot be seen;
 *   <li>{@code connect WARM_MS MEASURE_MS}: connect, write one byte, read the end of the stream,
 *       close; {@code p50}, {@code p99} in nanoseconds.
 * </ul>
 *
 * Every command uses fresh connections. Round trips set TCP_NODELAY, the rest is as the JDK makes
 * it: each is the choice that suits kernel TCP best. Round trips are timed one by one into an array
 * allocated before; nothing is allocated while measuring.
 */
public final class NetClient {
    /**
     * No round trip is faster than this, so an array of this many samples a millisecond suffices.
     */
    private static final int SAMPLES_PER_MS = 5_000;

    private final String target;

    private NetClient(String target) {
        this.target = target;
    }

    /** Answers commands until standard input ends. */
    public static void main(String[] args) throws IOException {
        NetClient client = new NetClient(args[0]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        System.out.println("READY");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String answer;
            try {
                answer = "ok " + client.obey(line.split(" ", -1));
            } catch (Exception failure) {
                failure.printStackTrace();
                answer = "failed " + failure.toString().replace('\n', ' ');
            }
            System.out.println(answer);
        }
        System.exit(0);
    }

    private String obey(String[] words) throws Exception {
        int[] numbers = Arrays.stream(words).skip(1).mapToInt(Integer::parseInt).toArray();
        return switch (words[0]) {
            case "echo" -> echo(numbers[0], numbers[1], numbers[2], numbers[3]);
            case "sink" -> sink(open(0), numbers[0], numbers[1], numbers[2]);
            case "sink-bounded" -> sink(open(numbers[0]), numbers[0], numbers[1], numbers[2]);
            case "connect" -> connects(numbers[0], numbers[1]);
            default -> throw new IOException("unknown command " + words[0]);
        };
    }

    /**
     * Connects.
     *
     * @param sendBufferBytes SO_SNDBUF; 0 = as the system makes it
     */
    private Link open(int sendBufferBytes) throws IOException {
        Link link = Link.connect(target, sendBufferBytes);
        link.buffer().put(0, (byte) 'B');
        link.write(1); // tells the accepting thread that this one stays
        return link;
    }

    private static void request(Link link, int op, int sizeBytes, long total) throws IOException {
        link.buffer().put(0, (byte) op).putInt(1, sizeBytes).putLong(5, total);
        link.write(NetServer.REQUEST_BYTES);
    }

    // ---- round trips

    /** What one connection saw: the first {@code n} of {@code nanos}, and the bytes allocated. */
    private static final class Samples {
        final int[] nanos;
        final int n;
        final long allocatedBytes;

        Samples(int[] nanos, int n, long allocatedBytes) {
            this.nanos = nanos;
            this.n = n;
            this.allocatedBytes = allocatedBytes;
        }
    }

    private String echo(int sizeBytes, int pairs, int warmMs, int measureMs) throws Exception {
        CyclicBarrier together = new CyclicBarrier(pairs);
        List<FutureTask<Samples>> tasks = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            Callable<Samples> pair =
                    () -> {
                        int[] nanos = new int[Math.max(warmMs, measureMs) * SAMPLES_PER_MS / pairs];
                        try (Link link = open(0)) {
                            link.noDelay();
                            together.await();
                            roundTrips(link, sizeBytes, nanos, warmMs);
                            together.await();
                            return roundTrips(link, sizeBytes, nanos, measureMs);
                        } catch (Exception failed) {
                            together.reset(); // the others must not wait for this one
                            throw failed;
                        }
                    };
            FutureTask<Samples> task = new FutureTask<>(pair);
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        int total = 0;
        long allocated = 0;
        List<Samples> all = new ArrayList<>();
        for (FutureTask<Samples> task : tasks) {
            Samples samples = result(task);
            all.add(samples);
            total += samples.n;
            allocated += samples.allocatedBytes;
        }
        int[] nanos = new int[total];
        int at = 0;
        for (Samples samples : all) {
            System.arraycopy(samples.nanos, 0, nanos, at, samples.n);
            at += samples.n;
        }
        Arrays.sort(nanos);
        return String.format(
                Locale.ROOT,
                "p50=%d p99=%d n=%d alloc=%.4f",
                nanos[total / 2],
                nanos[(int) (total * 0.99)],
                total,
                allocated / (4.0 * total)); // a read and a write at each end
    }

    private static Samples result(FutureTask<Samples> task) throws Exception {
        try {
            return task.get();
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause());
        }
    }

    private static Samples roundTrips(Link link, int sizeBytes, int[] nanos, int forMs)
            throws IOException {
        request(link, NetServer.ECHO, sizeBytes, 0);
        ByteBuffer buffer = link.buffer();
        long allocated = Usage.allocatedBytes();
        long start = System.nanoTime();
        long length = forMs * 1_000_000L;
        long before = start;
        int n = 0;
        boolean last;
        do {
            last = n == nanos.length - 1 || before - start >= length;
            buffer.put(0, (byte) (last ? 0 : 1));
            link.write(sizeBytes);
            if (!link.readFully(sizeBytes)) {
                throw new IOException("the server left");
            }
            long after = System.nanoTime();
            nanos[n++] = (int) Math.min(after - before, Integer.MAX_VALUE);
            before = after;
        } while (!last);
        allocated = Usage.allocatedBytes() - allocated;
        link.readFully(NetServer.ANSWER_BYTES);
        return new Samples(nanos, n, allocated + buffer.getLong(8));
    }

    // ---- one way

    private record Flow(long writes, long nanos, long cpuNanos, long allocatedBytes) {
        double perNano() {
            return (double) writes / nanos;
        }
    }

    private static String sink(Link to, int sizeBytes, int warmMs, int measureMs)
            throws IOException {
        try (Link link = to) {
            long start = System.nanoTime();
            long writes = 16;
            Flow flow = flow(link, sizeBytes, writes);
            while (System.nanoTime() - start < warmMs * 1_000_000L) {
                if (flow.nanos < 50_000_000) {
                    writes *= 2;
                }
                flow = flow(link, sizeBytes, writes);
            }
            flow = flow(link, sizeBytes, Math.max(16, (long) (flow.perNano() * measureMs * 1e6)));
            return String.format(
                    Locale.ROOT,
                    "writes=%.1f bytes=%.1f cpu=%.5f alloc=%.4f n=%d",
                    flow.perNano() * 1e9,
                    flow.perNano() * 1e9 * sizeBytes,
                    flow.cpuNanos / (double) (flow.writes * sizeBytes),
                    flow.allocatedBytes / (double) flow.writes,
                    flow.writes);
        }
    }

    private static Flow flow(Link link, int sizeBytes, long writes) throws IOException {
        long cpu = Usage.cpuNanos();
        long start = System.nanoTime();
        request(link, NetServer.SINK, Math.max(sizeBytes, 65_536), writes * sizeBytes);
        long allocated = Usage.allocatedBytes();
        for (long i = 0; i < writes; i++) {
            link.write(sizeBytes);
        }
        allocated = Usage.allocatedBytes() - allocated;
        if (!link.readFully(NetServer.ANSWER_BYTES)) {
            throw new IOException("the server left");
        }
        long nanos = System.nanoTime() - start;
        ByteBuffer answer = link.buffer();
        long bothCpu = Usage.cpuNanos() - cpu + answer.getLong(0);
        return new Flow(writes, nanos, bothCpu, allocated + answer.getLong(8));
    }

    // ---- connections

    private String connects(int warmMs, int measureMs) throws IOException {
        int[] nanos = new int[Math.max(warmMs, measureMs) * 100];
        connects(nanos, warmMs);
        int n = connects(nanos, measureMs);
        Arrays.sort(nanos, 0, n);
        return "p50=" + nanos[n / 2] + " p99=" + nanos[(int) (n * 0.99)] + " n=" + n;
    }

    private int connects(int[] nanos, int forMs) throws IOException {
        long start = System.nanoTime();
        int n = 0;
        do {
            long before = System.nanoTime();
            try (Socket socket = Link.socket(target, 0)) {
                socket.getOutputStream().write(NetServer.CLOSE);
                if (socket.getInputStream().read() >= 0) {
                    throw new IOException("a byte nobody sent");
                }
            }
            nanos[n++] = (int) Math.min(System.nanoTime() - before, Integer.MAX_VALUE);
        } while (n < nanos.length && System.nanoTime() - start < forMs * 1_000_000L);
        return n;
    }
}
