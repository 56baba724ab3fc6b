package io.sdp4j.bench;

/**
 * How long things are done.
 *
 * @param rounds each with fresh JVMs
 * @param firstWarmMs warm-up before the first measurement of each kind in a JVM pair: long enough
 *     for C2 to have compiled what runs (tens of thousands of calls)
 * @param warmMs warm-up before each further one
 * @param measureMs each measurement
 * @param maxSlices at most so many measurements of a configuration per row and round
 */
record Times(int rounds, int firstWarmMs, int warmMs, int measureMs, int maxSlices) {
    static final Times FULL = new Times(5, 3000, 500, 600, Integer.MAX_VALUE);
    static final Times QUICK = new Times(3, 400, 60, 120, 1);

    Times withRounds(int wanted) {
        return new Times(wanted, firstWarmMs, warmMs, measureMs, maxSlices);
    }
}
