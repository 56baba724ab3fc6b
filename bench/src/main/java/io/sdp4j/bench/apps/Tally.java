package io.sdp4j.bench.apps;

import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** How many requests took how long. For any thread; the sum may be taken meanwhile. */
final class Tally {
    /** Significant digits of a time. */
    private static final int DIGITS = 2;

    private final ConcurrentHistogram times = new ConcurrentHistogram(DIGITS);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** One request and its answer. */
    interface Request {
        void send() throws Exception;
    }

    /** Counts a request that took so long. */
    void add(long nanos) {
        times.recordValue(nanos);
    }

    /** Sends and counts one after the other, on a thread of its own, as long as the JVM lives. */
    void repeat(Request request) {
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    long before = System.nanoTime();
                                    request.send();
                                    add(System.nanoTime() - before);
                                }
                            } catch (Exception | Error e) {
                                fail(e);
                            }
                        });
    }

    /** Requests failed: fewer than wanted are under way from now on. */
    void fail(Throwable why) {
        failure.compareAndSet(null, why);
    }

    /** The first failure, or null. */
    Throwable failure() {
        return failure.get();
    }

    /** Requests so far, by how many nanoseconds they took. */
    Histogram counts() {
        return times.copy();
    }
}
