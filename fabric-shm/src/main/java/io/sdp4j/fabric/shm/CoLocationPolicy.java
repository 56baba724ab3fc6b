package io.sdp4j.fabric.shm;

import java.util.Arrays;

/**
 * Whether the two threads of a conversation shall sleep on one processor.
 *
 * <p>Why: waking a thread on an idle processor may take ten times as long as handing over the own
 * one, yet the kernel prefers the idle one, even for two threads that never want to run at the same
 * time. Whether one processor is better depends on what else there is to do, so it is tried: {@link
 * #BLOCK} rounds apart, then as many together, and what was clearly faster is kept for some hundred
 * rounds, longer each time it wins again, until it is tried anew or has become slow.
 *
 * <p>A round is from one sleep of this side to the next, so all that either side does in it counts;
 * it is measured per thing said, because a thread that is woken on the own processor may answer
 * before the sleep. A conversation is a run of short rounds in each of which this side said little;
 * both sides must see one. No thread, clock or system call in here.
 *
 * <p>Used by the waiting thread.
 */
final class CoLocationPolicy {
    /** Rounds like this before a conversation is believed, and what one of another kind costs. */
    static final int RUN = 16;

    static final int LAPSE = 4;

    /** Rounds of a trial, and how many of them only move the threads. */
    static final int BLOCK = 64;

    static final int SETTLING = 15;

    /** Rounds until the next trial, at first and at most, and before slow ones cause one. */
    static final int TERM = 512;

    static final int LONGEST_TERM = 32_768;
    static final int SHORTEST_TERM = 128;

    /** A longer round is not one that a wake-up could shorten. */
    static final long LONG_NANOS = 1_000_000;

    /** Messages and returned buffers. */
    static final int MOST_SAID = 16;

    private enum Stage {
        KEPT,
        APART,
        TOGETHER
    }

    /** Null until the first trial: most connections have none. */
    private long[] trial;

    private Stage stage = Stage.KEPT;
    private boolean together;
    private int run;
    private int rounds;
    private int term;
    private long lastNanos;
    private long roundNanos;
    private long apartNanos;

    /** Of rounds since the last trial, as a moving average. */
    private long recentNanos;

    /** The shortest time of a round since the choice was made. */
    private long keptNanos;

    /**
     * A sleep begins.
     *
     * @param said what this side has said since the last one
     * @return whether this has been a conversation
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

    /** After {@link #talks}, when the peer says so as well: whether to sleep on one processor. */
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
