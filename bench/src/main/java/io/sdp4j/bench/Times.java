package io.sdp4j.bench;

/**
 * How long things are done.
 *
 * @param rounds each with fresh JVMs
 * @param firstWarmMs warm-up before the first measurement of each kind in a JVM pair: long enough
 *     for C2 to have compiled what runs (tens of thousands of calls)
 * @param warmMs warm-up before each further one
 * @param measureMs each measurement
 */
record Times(int rounds, int firstWarmMs, int warmMs, int measureMs) {
    static final Times FULL = new Times(5, 1500, 300, 700);
    static final Times QUICK = new Times(3, 600, 100, 200);

    Times withRounds(int wanted) {
        return new Times(wanted, firstWarmMs, warmMs, measureMs);
    }
}
