package io.sdp4j.stream;

/**
 * From which size on a buffer is lent instead of copied: where lending it costs this side's
 * processor less than copying it.
 *
 * <p>Shape: two moving averages, what a loan costs (registering and deregistering, and posting an
 * RDMA read, which on some fabrics is the copy itself), and what copying a byte costs. Their
 * quotient is the size at which both cost the same. It holds for sizes like those seen lately:
 * registering is partly in proportion to the size, so it follows them. Above {@link
 * Limits#maxBytes} lending has lost, and nothing is lent but now and then one buffer, without which
 * it could never be learned that things have changed.
 *
 * <p>Knows no clock, allocates nothing. Guarded by the stream's lock.
 */
final class ZcopyThreshold {
    /** Observations of either kind before they count for more than the first threshold. */
    private static final int ENOUGH = 4;

    /**
     * Of the loans after the first ones, one in so many is timed: on some machines a look at the
     * clock is a system call, and a loan needs many.
     */
    private static final int TIMED_EVERY = 8;

    /** What {@link #leastBytes} says where nothing is to be lent. */
    static final int NOTHING = Integer.MAX_VALUE;

    /**
     * @param adaptive whether the threshold moves at all
     * @param firstBytes threshold until something was observed, and for ever if it does not move
     * @param minBytes least threshold
     * @param maxBytes largest one
     * @param probeEvery one of so many buffers below the threshold is lent to see what it costs
     * @param memory observations that an average goes back, about
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
    private int untimed;

    ZcopyThreshold(Limits limits) {
        this.limits = limits;
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
            return bytes;
        }
        if (!limits.adaptive || firstBytes < limits.minBytes) {
            return NOTHING;
        }
        passedOver++;
        if (passedOver < limits.probeEvery) {
            return NOTHING;
        }
        passedOver = 0;
        untimed = TIMED_EVERY; // it is lent to be timed
        return limits.minBytes;
    }

    /** Whether it is to be measured what the next loan costs. */
    boolean timesNext() {
        if (!limits.adaptive) {
            return false;
        }
        untimed++;
        if (loans >= limits.memory && untimed < TIMED_EVERY) {
            return false;
        }
        untimed = 0;
        return true;
    }

    /** A buffer was lent and came back. */
    void onLoan(long nanos) {
        loanNanos = average(loanNanos, (double) nanos, loans);
        loans++;
        reckon();
    }

    /** {@code lenBytes} were copied. */
    void onCopy(int lenBytes, long nanos) {
        copyNanosPerByte = average(copyNanosPerByte, (double) nanos / lenBytes, copies);
        copies++;
        reckon();
    }

    private double average(double before, double now, int observations) {
        int weight = Math.min(observations + 1, limits.memory);
        return before + (now - before) / weight;
    }

    private void reckon() {
        if (!limits.adaptive || loans < ENOUGH || copies < ENOUGH) {
            return;
        }
        double even = loanNanos / Math.max(copyNanosPerByte, Double.MIN_NORMAL);
        bytes = even > limits.maxBytes ? NOTHING : Math.max((int) even, limits.minBytes);
    }
}
