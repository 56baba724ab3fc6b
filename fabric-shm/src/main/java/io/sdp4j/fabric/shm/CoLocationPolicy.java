package io.sdp4j.fabric.shm;

import java.util.Arrays;

/**
 * Decides whether the two threads of a conversation sleep on one processor.
 *
 * <p>Why: waking a thread on an idle processor may take ten times as long as passing the own
 * processor on. But the kernel prefers the idle one, even for two threads that never want to run at
 * the same time. Whether one processor is better depends on the other load, so a trial decides:
 * {@link #BLOCK} rounds apart, then as many together. The clearly faster way is kept for some
 * hundred rounds, longer each time it wins again, until the next trial or until it has become slow.
 *
 * <p>A round lasts from one sleep of this side to the next, so everything that either side does in
 * it counts. Its time is divided by the number of things said, because a thread that is woken on
 * the own processor may answer before the sleep. A conversation is a run of short rounds in each of
 * which this side says little; both sides must see one. This class has no thread, clock or system
 * call.
 *
 * <p>Used by the waiting thread.
 */
final class CoLocationPolicy {
    /**
     * Short rounds before a conversation is assumed, and how many of them another round cancels.
     */
    static final int RUN = 16;

    static final int LAPSE = 4;

    /**
     * Rounds of each half of a trial, and how many of them are not measured while the threads move.
     */
    static final int BLOCK = 64;

    static final int SETTLING = 15;

    /** Rounds until the next trial: at first, at most, and before slow rounds cause one. */
    static final int TERM = 512;

    static final int LONGEST_TERM = 32_768;
    static final int SHORTEST_TERM = 128;

    /** A faster wake-up would not help a longer round. */
    static final long LONG_NANOS = 1_000_000;

    /** Most messages and returned buffers in a round of a conversation. */
    static final int MOST_SAID = 16;

    private enum Stage {
        KEPT,
        APART,
        TOGETHER
    }

    /**
     * Times of the rounds of a trial. Null until the first one, because most connections have none.
     */
    private long[] trial;

    private Stage stage = Stage.KEPT;
    private boolean together;
    private int run;
    private int rounds;
    private int term;
    private long lastNanos;
    private long roundNanos;
    private long apartNanos;

    /** Moving average of the time of rounds since the last trial. */
    private long recentNanos;

    /** Lowest average time of a round since the choice was made. */
    private long keptNanos;

    /**
     * Called when a sleep begins.
     *
     * @param said what this side has said since the last sleep
     * @return whether this is a conversation
     */
    boolean talks(long nowNanos, int said) {
        long passed = nowNanos - lastNanos;
        lastNanos = nowNanos;
        if (said < 1 || said > MOST_SAID || passed >= LONG_NANOS) {
            run = Math.max(0, run - LAPSE);
            return false;
        }
        roundNanos = passed / said;
        run = Math.min(run + 1, 2 * RUN);
        return run > RUN;
    }

    /**
     * Whether to sleep on one processor. Called after {@link #talks} if both sides see a
     * conversation.
     */
    boolean together() {
        if (stage == Stage.KEPT) {
            keep();
        } else if (rounds >= SETTLING) {
            trial[rounds - SETTLING] = roundNanos;
        }
        if (++rounds == BLOCK && stage != Stage.KEPT) {
            judge();
        }
        return stage == Stage.TOGETHER || (stage == Stage.KEPT && together);
    }

    private void keep() {
        recentNanos += (roundNanos - recentNanos) / 16;
        keptNanos = Math.min(keptNanos, recentNanos);
        if (rounds >= term || (rounds >= SHORTEST_TERM && recentNanos > 2 * keptNanos)) {
            if (trial == null) {
                trial = new long[BLOCK - SETTLING];
            }
            next(Stage.APART);
        }
    }

    private void judge() {
        Arrays.sort(trial);
        long median = trial[trial.length / 2];
        if (stage == Stage.APART) {
            apartNanos = median;
            next(Stage.TOGETHER);
        } else {
            choose(median);
        }
    }

    private void choose(long togetherNanos) {
        boolean better = togetherNanos < apartNanos - apartNanos / 5;
        term = better == together && term != 0 ? Math.min(2 * term, LONGEST_TERM) : TERM;
        together = better;
        keptNanos = better ? togetherNanos : apartNanos;
        recentNanos = keptNanos;
        next(Stage.KEPT);
    }

    private void next(Stage s) {
        stage = s;
        rounds = 0;
    }
}
