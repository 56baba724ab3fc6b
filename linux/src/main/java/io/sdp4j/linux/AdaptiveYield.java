package io.sdp4j.linux;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Whether, and how often, a thread that waits should give its processor away and look again, before
 * it asks to be woken and sleeps. Where the answer comes from a thread that wants that very
 * processor, it is there when the thread runs next, without a notification or a wake-up.
 *
 * <p>Shape: a budget of times that doubles with every wait that ended so and halves with every one
 * that did not, down to none; then every 64th wait tries again. The thread that gets the processor
 * may keep it for a turn of milliseconds, where a thread that is woken would have taken it back: so
 * waits are timed, and some that took too long end it, for twice as many waits each time. Some,
 * because among threads that sleep the first ones to give way come late, until all do.
 *
 * <p>Used by one waiting thread at a time.
 */
public final class AdaptiveYield {
    private static final int PROBE_EVERY = 64;
    private static final int LONGEST_PAUSE = 1 << 20;

    /** Waits may take too long so often; one is forgiven after so many that did not. */
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

    /** So many waits from now on do not try. */
    private int skips;

    /**
     * @param most how often the processor is given away in one wait; 0 = never
     * @param turnNanos a wait of this length was another thread's turn
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

    @SuppressWarnings("ThreadPriorityCheck") // it is looked whether it does good
    private static void yieldProcessor() {
        Thread.yield();
    }

    /**
     * Gives the processor away until there is something, or not at all.
     *
     * @param something whether there is; asked after each time
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
