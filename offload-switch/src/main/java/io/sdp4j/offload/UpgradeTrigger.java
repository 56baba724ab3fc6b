package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * When a connection that was made here asks to move: once it has carried enough and is old enough
 * for the {@link UpgradePolicy}, and again where a later answer may be another one.
 *
 * <p>Thread-safety: {@link #received} is for the reader, {@link #sent} for the writer; a count that
 * both change may miss a call.
 */
final class UpgradeTrigger {
    /** Before a peer is asked again that had not accepted the connection; then twice as long. */
    private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int MOST_ASKED = 8;

    /** Calls between two looks at how fast answers come. */
    private static final int LOOK_CALLS = 256;

    /** Calls after which the looks tell how fast answers come, whatever came before. */
    private static final int JUDGED_CALLS = 16 * LOOK_CALLS;

    /** More than that between two answers counts as much: a pause says nothing of the rest. */
    private static final long SLOW_NANOS = 2 * UpgradePolicy.QUICK_NANOS;

    /**
     * Before a peer is asked again that had no listener; then twice as long. A program that does
     * not rest listens for offload after five seconds, unless its own connections make it earlier.
     */
    private static final long LISTENS_BY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int MOST_ASKED_TO_LISTEN = 5;

    /**
     * Before a peer is asked again that has not answered, on a machine that was too busy perhaps;
     * then twice as long. Longer than silence is remembered.
     */
    private static final long ANSWERS_BY_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int MOST_ASKED_TO_ANSWER = 3;

    /** Answers that a connection tells the others of at once. */
    private static final int TELL_TURNS = 100;

    private final UpgradePolicy policy;
    private final AtomicLong allTurns; // of all connections of the JVM; this one adds its own
    private final Handover handover;
    private final LongSupplier clock;
    private final long bornNanos;
    private volatile long askAtNanos;
    private boolean wrote; // since the last read
    private long turns; // reader
    private long calls; // that carried something
    private long lookedCalls;
    private long lookedTurns;
    private long lookedNanos;
    private long turnNanos = SLOW_NANOS; // a moving average
    private int asked; // how often the peer had not accepted the connection
    private int foundNoListener; // how often
    private int foundSilent; // how often

    UpgradeTrigger(UpgradePolicy policy, AtomicLong allTurns, Handover handover, Began began) {
        this(policy, allTurns, handover, began, System::nanoTime);
    }

    UpgradeTrigger(
            UpgradePolicy policy,
            AtomicLong allTurns,
            Handover handover,
            Began began,
            LongSupplier clock) {
        this.clock = clock;
        this.policy = policy;
        this.allTurns = allTurns;
        this.handover = handover;
        this.bornNanos = began.nanos();
        this.askAtNanos = bornNanos;
        this.lookedNanos = bornNanos;
        this.turns = began.turns();
        if (turns > 0) {
            long _ = allTurns.addAndGet(turns);
        }
    }

    void received() {
        count();
        if (wrote) {
            wrote = false;
            if (++turns % TELL_TURNS == 0) {
                long _ = allTurns.addAndGet(TELL_TURNS);
            }
        }
    }

    void sent() {
        count();
        wrote = true;
    }

    private void count() {
        if (++calls - lookedCalls < LOOK_CALLS) {
            return;
        }
        long nowNanos = clock.getAsLong();
        long answers = turns - lookedTurns;
        long eachNanos = answers == 0 ? SLOW_NANOS : (nowNanos - lookedNanos) / answers;
        turnNanos += (Math.min(eachNanos, SLOW_NANOS) - turnNanos) / 8;
        lookedCalls = calls;
        lookedTurns = turns;
        lookedNanos = nowNanos;
    }

    /** Whether it is worth moving now. */
    boolean due(UpgradePolicy.Waits waits) {
        if (!policy.carriedEnough(waits, carried(), turns, allTurns.get(), calls, turnNanos)) {
            return false;
        }
        long nowNanos = clock.getAsLong();
        return nowNanos - bornNanos >= policy.ageNanos(waits) && nowNanos - askAtNanos >= 0;
    }

    /**
     * How long to wait before the peer is asked again; 0 = it is not. By one thread at a time.
     *
     * @param reason the peer's answer
     */
    long askAgainNanos(ReasonCode reason) {
        if (reason == ReasonCode.NOT_ACCEPTED && asked < MOST_ASKED) {
            return ASK_AGAIN_NANOS << asked++;
        }
        if (reason == ReasonCode.NO_PEER && foundNoListener < MOST_ASKED_TO_LISTEN) {
            return LISTENS_BY_NANOS << foundNoListener++;
        }
        boolean silent = reason == ReasonCode.TIMED_OUT || reason == ReasonCode.REMEMBERED;
        if (silent && foundSilent < MOST_ASKED_TO_ANSWER) {
            return ANSWERS_BY_NANOS << foundSilent++;
        }
        return 0;
    }

    /** It is not due before that time has passed. */
    void postpone(long nanos) {
        askAtNanos = clock.getAsLong() + nanos;
    }

    /** Whether it is not worth moving, in a channel that does not block. */
    boolean carriesLittle() {
        return policy.keepsSelectors()
                || (calls >= JUDGED_CALLS
                        && policy.carriesLittle(
                                calls, carried(), lookedNanos - bornNanos, turnNanos));
    }

    /** Bytes of both directions by TCP. */
    long carried() {
        return handover.sentBytes() + handover.receivedBytes();
    }

    long ageMillis() {
        return TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - bornNanos);
    }
}
