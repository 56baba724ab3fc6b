package io.sdp4j.bench.net;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Times of one connection, in an array that is allocated before anything is measured. For one
 * thread at a time.
 */
public final class Samples {
    /** No round trip is faster than this, so an array of this many a millisecond suffices. */
    private static final int PER_MS = 5_000;

    /** Into so many a measurement is cut to see whether it was of one kind. */
    private static final int PARTS = 10;

    private final int[] nanos;
    private int n;

    /**
     * @param ms how long samples will be taken
     * @param sharers connections that share the machine meanwhile
     */
    public Samples(int ms, int sharers) {
        nanos = new int[ms * PER_MS / sharers];
    }

    /** Forgets everything. */
    public void clear() {
        n = 0;
    }

    /** Whether this was the last one that there is room for. */
    public boolean add(long sample) {
        nanos[n++] = (int) Math.min(sample, Integer.MAX_VALUE);
        return n == nanos.length;
    }

    /** Whether one more would be the last. */
    boolean nearlyFull() {
        return n == nanos.length - 1;
    }

    /** How many there are. */
    public int count() {
        return n;
    }

    /** The samples of several connections as one, sorted. */
    public static int[] sorted(List<Samples> all) {
        int[] sorted = new int[all.stream().mapToInt(Samples::count).sum()];
        int at = 0;
        for (Samples samples : all) {
            System.arraycopy(samples.nanos, 0, sorted, at, samples.n);
            at += samples.n;
        }
        Arrays.sort(sorted);
        return sorted;
    }

    /**
     * The lowest and the highest median of ten parts, one after the other, as an answer has them:
     * they tell a measurement that was alike from its beginning to its end from one in which
     * something changed.
     */
    String steadiness() {
        int[] medians = new int[PARTS];
        for (int part = 0; part < PARTS; part++) {
            int from = (int) ((long) n * part / PARTS);
            int to = Math.max(from + 1, (int) ((long) n * (part + 1) / PARTS));
            int[] sorted = Arrays.copyOfRange(nanos, from, to);
            Arrays.sort(sorted);
            medians[part] = sorted[sorted.length / 2];
        }
        Arrays.sort(medians);
        return "lowest=" + medians[0] + " highest=" + medians[PARTS - 1];
    }

    /** Median, 99th percentile and number of sorted samples as an answer has them. */
    public static String text(int[] sorted) {
        return String.format(
                Locale.ROOT,
                "p50=%d p99=%d n=%d",
                sorted[sorted.length / 2],
                sorted[(int) (sorted.length * 0.99)],
                sorted.length);
    }
}
