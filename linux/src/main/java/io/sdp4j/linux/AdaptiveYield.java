package io.sdp4j.linux;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Decides whether and how often a waiting thread yields its processor and looks again, before it
 * asks to be woken and sleeps. If the answer comes from a thread that wants this very processor,
 * the answer is there when the waiting thread runs next, without a notification or a wake-up.
 *
 * <p>Shape: a budget of yields, which doubles with every wait that a yield ended and halves with
 * every other wait, down to none; then every 64th wait tries again. The thread that gets the
 * processor may keep it for a time slice of milliseconds, whereas a thread that is woken would take
 * it back at once. So waits are timed, and a few that take too long stop the yielding, for twice as
 * many waits each time. A single long wait does not: while other threads still sleep instead of
 * yielding, the first threads that yield wait long.
 *
 * <p>Used by one waiting thread at a time.
 */
public final class AdaptiveYield {
    private static final int PROBE_EVERY = 64;
    private static final int LONGEST_PAUSE = 1 << 20;

    /** Number of waits that may take too long. */
    private static final int PATIENCE = 4;

    private static final int FORGIVEN_AFTER = 32;

    private final int most;
    private final long turnNanos;
    private final Runnable giveAway;
    private final LongSupplier clock;
    private int budget;
    private int patience = PATIENCE;
    private int good;
    private int pause = PROBE_EVERY;

    /** Number of waits from now on that do not yield. */
    private int skips;

    /**
     * @param most most yields in one wait; 0 = never yields
     * @param turnNanos a wait of this length was another thread's time slice
     */
    public AdaptiveYield(int most, long turnNanos) {
        this(most, turnNanos, AdaptiveYield::yieldProcessor, System::nanoTime);
    }

    AdaptiveYield(int most, long turnNanos, Runnable giveAway, LongSupplier clock) {
        this.most = most;
        this.turnNanos = turnNanos;
        this.giveAway = giveAway;
        this.clock = clock;
        budget = most;
    }

    @SuppressWarnings("ThreadPriorityCheck") // yields only while that pays off
    private static void yieldProcessor() {
        Thread.yield();
    }

    /**
     * Yields until {@code something} is true or the budget is used up, or does not yield at all.
     *
     * @param something whether there is something to do; asked after each yield
     * @return whether there is something
     */
    public boolean giveWay(BooleanSupplier something) {
        if (most == 0) {
            return false;
        }
        if (skips > 0) {
            skips--;
            return false;
        }
        boolean probe = budget == 0;
        int times = probe ? most : budget;
        long begun = clock.getAsLong();
        boolean found = false;
        for (int i = 0; i < times && !found; i++) {
            giveAway.run();
            found = something.getAsBoolean();
        }
        budget = found ? Math.min(most, times * 2) : probe ? 0 : times / 2;
        if (budget == 0) {
            skips = PROBE_EVERY - 1;
        }
        judge(clock.getAsLong() - begun);
        return found;
    }

    private void judge(long nanos) {
        if (nanos >= turnNanos) {
            good = 0;
            if (--patience == 0) {
                patience = PATIENCE;
                budget = 0;
                skips = pause - 1;
                pause = Math.min(2 * pause, LONGEST_PAUSE);
            }
        } else if (++good == FORGIVEN_AFTER) {
            good = 0;
            if (patience < PATIENCE) {
                patience++;
            } else {
                pause = Math.max(pause / 2, PROBE_EVERY);
            }
        }
    }
}
