package io.sdp4j.bench;

import java.util.function.DoubleSupplier;

/**
 * Keeps a run to one state of the machine, that in which it is idle. A virtual machine that was
 * busy for some seconds may be moved to processors that are further apart, and come back when it
 * was idle for some: figures measured then differ by a factor of several, with and without us.
 * Judged by a bare {@link HandOver} and by the time that its host took, never by the figures
 * themselves, and in the same way for all configurations.
 *
 * <p>For one thread.
 */
final class QuiescenceGuard {
    /** Readings of one state are nearer to each other than this, those of two are not. */
    private static final double ALIKE = 2;

    /** Steps without work before the first slice, to see the machine idle. */
    private static final int FIRST_STEPS = 10;

    /** Steps that one slice waits at most. */
    private static final int MOST_STEPS = 30;

    private final DoubleSupplier handOver;
    private final long stepMs;
    private long patienceMs;
    private long waitedMs;
    private double best = Double.POSITIVE_INFINITY;

    /**
     * @param handOver how long a hand-over takes now
     * @param stepMs between two readings while waiting
     * @param patienceMs how long may be waited in all
     */
    QuiescenceGuard(DoubleSupplier handOver, long stepMs, long patienceMs) {
        this.handOver = handOver;
        this.stepMs = stepMs;
        this.patienceMs = patienceMs;
    }

    /**
     * Waits until a hand-over takes no longer than at its best so far, the machine being idle; or
     * until patience ends, then in whatever state the machine is.
     *
     * @return how long it takes now
     */
    double await() throws InterruptedException {
        double now = read();
        if (waitedMs == 0) {
            for (int n = 0; n < FIRST_STEPS && patienceMs > 0; n++) {
                now = next();
            }
        }
        for (int n = 0; n < MOST_STEPS && patienceMs > 0 && !alike(best, now); n++) {
            now = next();
        }
        return now;
    }

    private double next() throws InterruptedException {
        Thread.sleep(stepMs);
        patienceMs -= stepMs;
        waitedMs += stepMs;
        return read();
    }

    /** How long a hand-over takes now. */
    double read() {
        double now = handOver.getAsDouble();
        best = Math.min(best, now);
        return now;
    }

    /** How long was waited so far. */
    long waitedMs() {
        return waitedMs;
    }

    /**
     * Whether a slice was of one state of the machine.
     *
     * @param before how long a hand-over took before it
     * @param after how long after it
     * @param stolenMs how long the host let a processor wait meanwhile: it does when it moves one,
     *     and it may have moved it away and back
     */
    static boolean undisturbed(double before, double after, long stolenMs) {
        return stolenMs == 0 && alike(before, after);
    }

    /** Whether two readings are of one state of the machine. */
    static boolean alike(double one, double other) {
        return Math.max(one, other) <= ALIKE * Math.min(one, other);
    }
}
