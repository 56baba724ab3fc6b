package io.sdp4j.bench.apps;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How many requests took how long. Each thread that adds has a lane of its own; the sum may be
 * taken meanwhile.
 */
final class Tally {
    /** Times are told apart when they differ by more than one in so many, a power of two. */
    private static final int STEPS = 64;

    private static final int STEP_BITS = Integer.numberOfTrailingZeros(STEPS);
    private static final int CLASSES = (Long.SIZE - STEP_BITS) * STEPS;

    private final List<Lane> lanes = new CopyOnWriteArrayList<>();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** For one thread at a time. */
    static final class Lane {
        private final AtomicLongArray counts = new AtomicLongArray(CLASSES);

        /** Counts a request that took so long. */
        void add(long nanos) {
            int at = classOf(nanos);
            counts.setRelease(at, counts.getPlain(at) + 1);
        }
    }

    /** One request and its answer. */
    interface Request {
        void send() throws Exception;
    }

    Lane lane() {
        Lane lane = new Lane();
        lanes.add(lane);
        return lane;
    }

    /** Sends and counts one after the other, on a thread of its own, as long as the JVM lives. */
    void repeat(Request request) {
        Lane lane = lane();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    long before = System.nanoTime();
                                    request.send();
                                    lane.add(System.nanoTime() - before);
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

    /** Requests so far, by how long they took. */
    Counts counts() {
        long[] sum = new long[CLASSES];
        for (Lane lane : lanes) {
            for (int i = 0; i < CLASSES; i++) {
                sum[i] += lane.counts.getAcquire(i);
            }
        }
        return new Counts(sum);
    }

    /** Requests of a while, by how long they took. */
    static final class Counts {
        private final long[] counts;

        private Counts(long[] counts) {
            this.counts = counts;
        }

        /** Those that came after {@code earlier}. */
        Counts since(Counts earlier) {
            long[] later = counts.clone();
            for (int i = 0; i < CLASSES; i++) {
                later[i] -= earlier.counts[i];
            }
            return new Counts(later);
        }

        long total() {
            long total = 0;
            for (long count : counts) {
                total += count;
            }
            return total;
        }

        /** The nanoseconds that such a share of the requests, between 0 and 1, did not exceed. */
        long quantile(double share) {
            long left = Math.max(1, (long) Math.ceil(share * total()));
            for (int i = 0; i < CLASSES; i++) {
                left -= counts[i];
                if (left <= 0) {
                    return middleOf(i);
                }
            }
            throw new IllegalStateException("nothing counted");
        }
    }

    private static int classOf(long nanos) {
        int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos) - STEP_BITS);
        return shift * STEPS + (int) (nanos >>> shift);
    }

    private static long middleOf(int at) {
        int shift = Math.max(0, at / STEPS - 1);
        long lowest = (long) (at - shift * STEPS) << shift;
        return lowest + (1L << shift) / 2;
    }
}
