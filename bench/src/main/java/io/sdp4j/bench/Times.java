package io.sdp4j.bench;

/**
 * How long things are done.
 *
 * @param rounds each with fresh JVMs
 * @param firstWarmMs least warm-up before the first measurement of each kind in a JVM pair
 * @param furtherWarmMs how much longer that may take at most while the compilers of the pair work:
 *     they need twice the time on a slow machine, and four times on one core
 * @param warmMs warm-up before each further one
 * @param measureMs each measurement
 * @param maxSlices at most so many measurements of a configuration per row and round
 * @param patienceMs how long may be waited in all until the machine is quiet ({@link
 *     QuiescenceGuard}); 0: it is not even looked at
 */
record Times(
        int rounds,
        int firstWarmMs,
        int furtherWarmMs,
        int warmMs,
        int measureMs,
        int maxSlices,
        int patienceMs) {
    static final Times FULL = new Times(5, 3000, 20_000, 500, 600, Integer.MAX_VALUE, 720_000);
    static final Times QUICK = new Times(3, 400, 0, 60, 120, 1);

    /** Fresh JVMs for four seconds each: the warm-up itself is measured. */
    static final Times COLD = new Times(5, 0, 0, 0, 4000, Integer.MAX_VALUE);

    /** Fresh JVMs for 36 seconds each, of which three parts are told apart. */
    static final Times APPS = new Times(3, 0, 0, 0, 36_000, Integer.MAX_VALUE);

    private static final int SHORT_WARM_MS = 100;
    private static final int SHORT_MEASURE_MS = 250;

    /** Without patience. */
    Times(
            int rounds,
            int firstWarmMs,
            int furtherWarmMs,
            int warmMs,
            int measureMs,
            int maxSlices) {
        this(rounds, firstWarmMs, furtherWarmMs, warmMs, measureMs, maxSlices, 0);
    }

    Times withRounds(int wanted) {
        return new Times(
                wanted, firstWarmMs, furtherWarmMs, warmMs, measureMs, maxSlices, patienceMs);
    }

    /**
     * As this, with short slices, for rows that compare neighbours: the machine's other work
     * changes within a second.
     */
    Times forNeighbours() {
        return new Times(
                rounds,
                firstWarmMs,
                furtherWarmMs,
                Math.min(SHORT_WARM_MS, warmMs),
                Math.min(SHORT_MEASURE_MS, measureMs),
                maxSlices,
                patienceMs);
    }
}
