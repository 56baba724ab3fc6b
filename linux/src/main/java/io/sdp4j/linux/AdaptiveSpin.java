package io.sdp4j.linux;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Decides whether and how long the waits of one side spin.
 *
 * <p>Shape: a budget of time, which doubles with every wait that ended while spinning and halves
 * with every other wait, down to none. Then the 64th wait begins a trial of longer spins. Each
 * outlasts the wake-up of a sleeping peer, and there are enough of them for the peer to begin a
 * trial as well: while both sides sleep, a short spin cannot show either of them that both would be
 * fast. The trial succeeds when a wait is short, and fails when one is too long or all are slow.
 * After each failure twice as many waits pass before the next trial. One long wait among short ones
 * is taken for an accident, after which both sides sleep: every 64 short waits pay for one long
 * wait that begins a trial at once (docs/decisions/0017-trials-of-spinning-outlast-a-wake-up.md).
 *
 * <p>A spinning thread that notices that it lost its processor gives up at once: another thread
 * needed the processor, perhaps the very peer that is awaited. No thread spins while more threads
 * want to run than there are processors.
 *
 * <p>Used by one waiting thread at a time.
 */
public final class AdaptiveSpin {
    private static final long LEAST_NANOS = 2_000;

    /** Waits without spinning before a trial, at first and at most. */
    private static final int PAUSE = 64;

    private static final int LONGEST_PAUSE = 4096;

    /** Upper bound of {@link #shortWaits}. */
    private static final int MOST_SHORT = 16 * PAUSE;

    /** Waits of a trial: within them a peer that makes the same pause begins its own. */
    private static final int TRIAL = PAUSE + 16;

    /** Longest time for which a thread that is wanted elsewhere goes on spinning. */
    private static final long ASK_NANOS = 2_000;

    /** A gap between two looks at the clock that only losing the processor explains. */
    private static final long DISPLACED_NANOS = 15_000;

    /**
     * Cost of one notification: to ask for it, send it and take it. A spin of this length is worth
     * it.
     */
    private static final long RING_NANOS = 2_500;

    /** A spin for many rings, or of a trial, is at most this many times as long as usual. */
    private static final int MOST_TIMES = 8;

    private final long usualNanos;
    private final int spinnersMax;
    private final AtomicInteger spinners;
    private final boolean asks;
    private long maxNanos;
    private long budgetNanos;
    private int idleWaits;
    private int pause = PAUSE;

    /** Waits left in the trial under way; 0 = there is no trial. */
    private int trial;

    /** Short waits that no accident has used up. */
    private int shortWaits;

    /** Whether the last look ended because the thread had been off its processor. */
    private boolean displaced;

    /**
     * @param spinners number of threads of the process that spin now; shared
     */
    public AdaptiveSpin(long maxNanos, int spinnersMax, AtomicInteger spinners) {
        this(maxNanos, spinnersMax, spinners, true);
    }

    /**
     * @param asks whether to ask {@link CpuPressure}; false in tests
     */
    AdaptiveSpin(long maxNanos, int spinnersMax, AtomicInteger spinners, boolean asks) {
        this.asks = asks;
        this.usualNanos = maxNanos;
        this.maxNanos = maxNanos;
        this.spinnersMax = spinnersMax;
        this.spinners = spinners;
        budgetNanos = maxNanos;
    }

    /** Returns a new instance for other waits of the same side, with its own history. */
    public AdaptiveSpin another() {
        return new AdaptiveSpin(usualNanos, spinnersMax, spinners, asks);
    }

    /**
     * Says how many rings are needed if the next spins find nothing. Many rings are worth a longer
     * spin, up to eight times as long as usual.
     */
    public void worth(int rings) {
        long most = Math.min(rings * RING_NANOS, MOST_TIMES * usualNanos);
        boolean full = budgetNanos == maxNanos;
        maxNanos = Math.max(usualNanos, most);
        budgetNanos = full ? maxNanos : Math.min(budgetNanos, maxNanos);
    }

    /**
     * Whether threads of this machine may spin at all now, apart from the history.
     *
     * @param nowNanos {@link System#nanoTime}
     */
    public boolean allowed(long nowNanos) {
        return maxNanos > 0 && spinnersMax > 0 && !(asks && CpuPressure.crowded(nowNanos));
    }

    /**
     * Spins until {@code something} is true or the budget is used up, or does not spin at all.
     *
     * @param something whether there is something to do
     * @param elsewhere asked every few microseconds; true ends the spin, because the thread is
     *     wanted elsewhere
     * @return whether there is something
     */
    public boolean spin(BooleanSupplier something, long limitNanos, BooleanSupplier elsewhere) {
        if (budgetNanos == 0 && trial == 0) {
            if (maxNanos == 0 || ++idleWaits < pause) {
                return false;
            }
            idleWaits = 0;
            trial = TRIAL;
        }
        boolean trying = trial > 0;
        long budget = trying ? Math.max(maxNanos, MOST_TIMES * usualNanos) : budgetNanos;
        if (spinnersMax == 0) {
            return false; // before the clock is asked, which costs a system call in some machines
        }
        long now = System.nanoTime();
        if (asks && CpuPressure.crowded(now)) {
            return false;
        }
        if (spinners.incrementAndGet() > spinnersMax) {
            spinners.decrementAndGet();
            return false;
        }
        boolean found = false;
        try {
            found = look(something, now, Math.min(budget, limitNanos), elsewhere);
        } finally {
            spinners.decrementAndGet();
        }
        if (displaced) {
            displaced = false;
            unlearn(0);
        } else if (trying) {
            if (found || limitNanos >= budget) {
                judge(found, now);
            }
        } else if (found) {
            shortWaits = Math.min(shortWaits + 1, MOST_SHORT);
            budgetNanos = Math.min(maxNanos, Math.max(budgetNanos * 2, maxNanos / 2));
        } else if (limitNanos >= budget) {
            unlearn(budgetNanos / 2 < LEAST_NANOS ? 0 : budgetNanos / 2);
        }
        return found;
    }

    /**
     * Lowers the budget, or begins a trial, after a wait that was not short.
     *
     * @param budget of the next wait, unless a trial begins
     */
    private void unlearn(long budget) {
        if (shortWaits < PAUSE) {
            budgetNanos = budget;
            trial = 0;
            return;
        }
        shortWaits -= PAUSE;
        budgetNanos = 0;
        trial = TRIAL;
        pause = PAUSE / 2; // twice as many if it fails
    }

    private void judge(boolean found, long begunNanos) {
        if (found && System.nanoTime() - begunNanos <= maxNanos) {
            budgetNanos = maxNanos;
            trial = 0;
            pause = PAUSE;
        } else if (!found || --trial == 0) {
            trial = 0;
            pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
    }

    private boolean look(
            BooleanSupplier something, long start, long budget, BooleanSupplier elsewhere) {
        long last = start;
        long asked = start;
        for (; ; ) {
            for (int i = 0; i < 8; i++) {
                if (something.getAsBoolean()) {
                    return true;
                }
                Thread.onSpinWait();
            }
            long now = System.nanoTime();
            if (now - last > DISPLACED_NANOS) {
                displaced = true;
                return something.getAsBoolean();
            }
            if (now - start >= budget) {
                return false;
            }
            last = now;
            if (now - asked >= ASK_NANOS) {
                if (elsewhere.getAsBoolean()) {
                    return something.getAsBoolean();
                }
                last = System.nanoTime(); // the answer may take its time
                asked = last;
            }
        }
    }
}
