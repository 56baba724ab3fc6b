package io.sdp4j.stream;

/**
 * Tells from which size on a buffer is lent instead of copied: where lending it costs this side's
 * processor less than copying it.
 *
 * <p>Shape: two moving averages, what a loan costs (registering and deregistering, and posting an
 * RDMA read where that is the copy itself), and what copying a byte costs. Their quotient is the
 * size at which both cost the same. It holds for sizes like those seen lately, and follows them,
 * because the cost of registering is partly in proportion to the size. Above {@link
 * Limits#maxBytes} lending has lost: nothing is lent, except now and then one buffer to learn
 * whether things have changed.
 *
 * <p>Knows no clock, allocates nothing. Guarded by the stream's lock.
 */
final class ZcopyThreshold {
    /** Observations of each kind that are needed before the threshold moves. */
    private static final int ENOUGH = 4;

    /** Where lending has lost, it is tried again after this many buffers at first. */
    private static final int FIRST_PROBE = 8;

    /**
     * Least cost of a loan that counts, even if the clock says less: an average of 0 cannot grow.
     */
    private static final long LEAST_LOAN_NANOS = 1_000;

    /** An observation below the average counts for so many above it. */
    private static final int BELOW = 4;

    /** Value of {@link #leastBytes} where nothing is to be lent. */
    static final int NOTHING = Integer.MAX_VALUE;

    /**
     * @param adaptive whether the threshold moves at all
     * @param firstBytes threshold until something was observed, and for ever if it does not move
     * @param minBytes least threshold
     * @param maxBytes largest one
     * @param probeEvery one of so many buffers below the threshold is lent to see what it costs
     * @param memory about how many observations an average goes back
     */
    record Limits(
            boolean adaptive,
            int firstBytes,
            int minBytes,
            int maxBytes,
            int probeEvery,
            int memory) {
        /** A threshold that does not move. */
        static Limits fixed(int bytes) {
            return new Limits(false, bytes, bytes, bytes, 1, 1);
        }

        /** The least that may ever be lent. */
        int floorBytes() {
            return adaptive ? Math.min(minBytes, firstBytes) : firstBytes;
        }
    }

    private final Limits limits;
    private double loanNanos;
    private double copyNanosPerByte;
    private int loans;
    private int copies;
    private int bytes;
    private int passedOver;
    private int probeAfter = FIRST_PROBE;
    private int untimed;
    private final int timedEvery;

    /**
     * @param timedEvery of the loans after the first ones, one in so many is timed
     */
    ZcopyThreshold(Limits limits, int timedEvery) {
        this.limits = limits;
        this.timedEvery = timedEvery;
        this.bytes = limits.firstBytes;
    }

    /** The threshold now; {@link #NOTHING} where lending has lost. */
    int bytes() {
        return bytes;
    }

    /**
     * For one operation: the least size of the buffers that it lends.
     *
     * @param firstBytes size of its first buffer
     */
    int leastBytes(int firstBytes) {
        if (firstBytes >= bytes) {
            probeAfter = FIRST_PROBE;
            return bytes;
        }
        if (!limits.adaptive || firstBytes < limits.minBytes) {
            return NOTHING;
        }
        passedOver++;
        return passedOver < Math.min(probeAfter, limits.probeEvery) ? NOTHING : limits.minBytes;
    }

    /**
     * The operation lends its buffers.
     *
     * @param leastBytes answer of {@link #leastBytes}
     */
    void lends(int leastBytes) {
        if (leastBytes < bytes) {
            passedOver = 0;
            probeAfter = Math.min(2 * probeAfter, limits.probeEvery);
            untimed = timedEvery; // it is lent to be timed
        }
    }

    /** Whether to measure what the next loan costs. */
    boolean timesNext() {
        if (!limits.adaptive) {
            return false;
        }
        untimed++;
        if (loans >= limits.memory && untimed < timedEvery) {
            return false;
        }
        untimed = 0;
        return true;
    }

    /** A buffer was lent and came back. */
    void onLoan(long nanos) {
        loanNanos = average(loanNanos, (double) Math.max(LEAST_LOAN_NANOS, nanos), loans);
        loans++;
        reckon();
    }

    /** {@code lenBytes} were copied. */
    void onCopy(int lenBytes, long nanos) {
        copyNanosPerByte =
                average(copyNanosPerByte, Math.max(1.0, (double) nanos) / lenBytes, copies);
        copies++;
        reckon();
    }

    /**
     * A disturbance of a measurement (code that is not compiled yet, another thread on the
     * processor) only makes it longer: one below the average counts for several above it, and none
     * for more than twice the average.
     */
    private double average(double before, double now, int observations) {
        if (observations == 0) {
            return now;
        }
        int weight = Math.min(observations + 1, limits.memory);
        if (now < before) {
            weight = Math.max(1, weight / BELOW);
        }
        return before + (Math.min(now, 2 * before) - before) / weight;
    }

    private void reckon() {
        if (!limits.adaptive || loans < ENOUGH || copies < ENOUGH) {
            return;
        }
        double even = loanNanos / Math.max(copyNanosPerByte, Double.MIN_NORMAL);
        bytes = even > limits.maxBytes ? NOTHING : Math.max((int) even, limits.minBytes);
    }
}
