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
 */
record Times(
        int rounds, int firstWarmMs, int furtherWarmMs, int warmMs, int measureMs, int maxSlices) {
    static final Times FULL = new Times(5, 3000, 20_000, 500, 600, Integer.MAX_VALUE);
    static final Times QUICK = new Times(3, 400, 0, 60, 120, 1);

    private static final int IN_TURN_WARM_MS = 100;
    private static final int IN_TURN_MEASURE_MS = 250;

    Times withRounds(int wanted) {
        return new Times(wanted, firstWarmMs, furtherWarmMs, warmMs, measureMs, maxSlices);
    }

    /**
     * As this, for slices that are compared with their neighbours. They are short: what else the
     * machine does changes within a second, so a difference of percents shows in many near
     * neighbours and not in few far ones.
     */
    Times inTurn() {
        return new Times(
                rounds,
                firstWarmMs,
                furtherWarmMs,
                Math.min(IN_TURN_WARM_MS, warmMs),
                Math.min(IN_TURN_MEASURE_MS, measureMs),
                maxSlices);
    }
}
