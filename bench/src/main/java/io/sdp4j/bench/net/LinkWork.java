package io.sdp4j.bench.net;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The measuring side of what {@link NetServer} serves, over any kind of link: round trips and
 * streams. Nothing is allocated while measuring.
 */
public record LinkWork(Opener opener) {
    /** Makes a connection. */
    public interface Opener {
        Link open() throws IOException;
    }

    /** Between two round trips that are not made as fast as can be. */
    private static final int GAP_MS = 10;

    private static final int LONG_TIMES = 16;

    /** Idle connections have little to count. */
    private static final int IDLE_TIMES = 50;

    /** A connection whose accepting thread was told that it stays. */
    private Link open() throws IOException {
        Link link = opener.open();
        link.say(NetServer.STAY);
        return link;
    }

    private static void request(Link link, int op, int sizeBytes, long total) throws IOException {
        link.buffer().put(0, (byte) op).putInt(1, sizeBytes).putLong(5, total);
        link.write(NetServer.REQUEST_BYTES);
    }

    // ---- round trips

    private record Trips(
            Samples samples, double allocatedPerCall, double perSecond, long cpuNanos) {}

    /**
     * Round trips on {@code pairs} connections at once.
     *
     * @return {@code p50} and {@code p99} in nanoseconds, {@code n}, {@code alloc} heap bytes per
     *     call at either end, {@code requests} a second, {@code cpu-trip} nanoseconds of both
     *     processes for each; of a single pair {@link Samples#steadiness}, too
     */
    public String echo(int sizeBytes, int pairs, int warmMs, int measureMs) throws Exception {
        CyclicBarrier together = new CyclicBarrier(pairs);
        List<FutureTask<Trips>> tasks = new ArrayList<>();
        for (int i = 0; i < pairs; i++) {
            Callable<Trips> pair =
                    () -> {
                        Samples samples = new Samples(Math.max(warmMs, measureMs), pairs);
                        try (Link link = open()) {
                            link.noDelay();
                            together.await();
                            roundTrips(link, sizeBytes, samples, warmMs);
                            together.await();
                            samples.clear();
                            long cpu = Usage.cpuNanos();
                            long start = System.nanoTime();
                            long allocated = roundTrips(link, sizeBytes, samples, measureMs);
                            double nanos = System.nanoTime() - start;
                            cpu = Usage.cpuNanos() - cpu + link.buffer().getLong(0);
                            double trips = samples.count();
                            return new Trips(
                                    samples,
                                    allocated / (2 * link.callsPerTurn() * trips),
                                    trips * 1e9 / nanos,
                                    cpu);
                        } catch (Exception failed) {
                            together.reset(); // the others must not wait for this one
                            throw failed;
                        }
                    };
            FutureTask<Trips> task = new FutureTask<>(pair);
            tasks.add(task);
            Thread.ofPlatform().daemon().start(task);
        }
        List<Samples> all = new ArrayList<>();
        double allocated = 0;
        double perSecond = 0;
        double cpu = 0;
        long made = 0;
        for (Trips trips : results(tasks)) {
            all.add(trips.samples);
            allocated += trips.allocatedPerCall;
            perSecond += trips.perSecond;
            cpu += (double) trips.cpuNanos / pairs; // each has seen that of all
            made += trips.samples.count();
        }
        return Samples.text(Samples.sorted(all))
                + String.format(
                        Locale.ROOT,
                        " alloc=%.4f requests=%.1f cpu-trip=%.1f",
                        allocated / pairs,
                        perSecond,
                        cpu / made)
                + (pairs == 1 ? " " + all.getFirst().steadiness() : "");
    }

    /** The first failure that is not a consequence of another, if there is one. */
    private static <T> List<T> results(List<FutureTask<T>> tasks) throws Exception {
        List<T> results = new ArrayList<>();
        IOException broken = null;
        for (FutureTask<T> task : tasks) {
            try {
                results.add(result(task));
            } catch (IOException failed) {
                if (!(failed.getCause() instanceof BrokenBarrierException)) {
                    throw failed;
                }
                broken = failed;
            }
        }
        if (broken != null) {
            throw broken;
        }
        return results;
    }

    private static <T> T result(FutureTask<T> task) throws Exception {
        try {
            return task.get();
        } catch (ExecutionException failed) {
            throw new IOException(failed.getCause());
        }
    }

    /**
     * Round trips on a link that nothing else is under way on.
     *
     * @param samples where their times in nanoseconds are added
     * @return heap bytes that both ends have allocated
     */
    public static long roundTrips(Link link, int sizeBytes, Samples samples, int forMs)
            throws IOException {
        request(link, NetServer.ECHO, sizeBytes, 0);
        long allocated = Usage.allocatedBytes();
        long start = System.nanoTime();
        long length = forMs * 1_000_000L;
        long before = start;
        boolean last;
        do {
            last = samples.nearlyFull() || before - start >= length;
            trip(link, sizeBytes, last);
            long after = System.nanoTime();
            samples.add(after - before);
            before = after;
        } while (!last);
        allocated = Usage.allocatedBytes() - allocated;
        link.readFully(NetServer.ANSWER_BYTES);
        return allocated + link.buffer().getLong(8);
    }

    private static void trip(Link link, int sizeBytes, boolean last) throws IOException {
        link.buffer().put(0, (byte) (last ? 0 : 1));
        link.write(sizeBytes);
        if (!link.readFully(sizeBytes)) {
            throw new IOException("the server left");
        }
    }

    /**
     * A hundred round trips a second on one connection, after as many as can be made in {@code
     * warmMs}. Takes {@value #LONG_TIMES} times {@code measureMs}, as processor time is counted in
     * steps of 10 ms.
     *
     * @return {@code p50}, {@code p99} and {@code n} of them, {@code cpu-trip} nanoseconds of both
     *     processes for each
     */
    public String paced(int sizeBytes, int warmMs, int measureMs) throws IOException {
        int trips = Math.max(1, LONG_TIMES * measureMs / GAP_MS);
        Samples samples = new Samples(Math.max(warmMs, trips), 1);
        try (Link link = open()) {
            link.noDelay();
            roundTrips(link, sizeBytes, samples, warmMs);
            samples.clear();
            long cpu = Usage.cpuNanos();
            request(link, NetServer.ECHO, sizeBytes, 0);
            long due = System.nanoTime();
            for (int i = 1; i <= trips; i++) {
                due += TimeUnit.MILLISECONDS.toNanos(GAP_MS);
                while (System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                long before = System.nanoTime();
                trip(link, sizeBytes, i == trips);
                samples.add(System.nanoTime() - before);
            }
            link.readFully(NetServer.ANSWER_BYTES);
            cpu = Usage.cpuNanos() - cpu + link.buffer().getLong(0);
            return Samples.text(Samples.sorted(List.of(samples)))
                    + String.format(Locale.ROOT, " cpu-trip=%.1f", cpu / (double) trips);
        }
    }

    // ---- nothing

    /**
     * Connections on which nothing happens, after as many round trips on one as can be made in
     * {@code warmMs}. Takes {@value #IDLE_TIMES} times {@code measureMs}.
     *
     * @return {@code switches} of threads a second in both processes, {@code cpu-idle} nanoseconds
     *     of both a second
     */
    public String idle(int connections, int warmMs, int measureMs)
            throws IOException, InterruptedException {
        List<Link> links = new ArrayList<>();
        try {
            while (links.size() < connections) {
                links.add(open());
            }
            Link one = links.getFirst();
            one.noDelay();
            roundTrips(one, 64, new Samples(warmMs, 1), warmMs);
            Thread.sleep(warmMs); // what the connections have begun with comes to its end
            request(one, NetServer.IDLE, 0, 0);
            long cpu = Usage.cpuNanos();
            long switches = Usage.contextSwitches();
            long start = System.nanoTime();
            Thread.sleep((long) IDLE_TIMES * measureMs);
            double seconds = (System.nanoTime() - start) / 1e9;
            switches = Usage.contextSwitches() - switches;
            cpu = Usage.cpuNanos() - cpu;
            one.write(1);
            one.readFully(NetServer.ANSWER_BYTES);
            return String.format(
                    Locale.ROOT,
                    "switches=%.3f cpu-idle=%.1f",
                    (switches + one.buffer().getLong(8)) / seconds,
                    (cpu + one.buffer().getLong(0)) / seconds);
        } finally {
            for (Link link : links) {
                link.close();
            }
        }
    }

    // ---- one way

    private record Flow(long writes, long nanos, long cpuNanos, long allocatedBytes) {
        double perNano() {
            return (double) writes / nanos;
        }
    }

    /**
     * Writes one way, until the server has read them.
     *
     * @return {@code writes} and {@code bytes} per second, {@code cpu} nanoseconds of both
     *     processes per byte (equal to CPU seconds per 10^9 bytes), {@code alloc} heap bytes per
     *     write
     */
    public String sink(int sizeBytes, int warmMs, int measureMs) throws IOException {
        try (Link link = open()) {
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
}
