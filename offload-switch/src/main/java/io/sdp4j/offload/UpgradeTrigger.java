package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Decides when a connection that was made here asks to move: once it has carried enough and is old
 * enough for the {@link UpgradePolicy}, and again if the peer may answer differently later.
 *
 * <p>Thread-safety: {@link #received} is for the reader, {@link #sent} for the writer; {@code
 * calls}, which both increment without a lock, may miss a call.
 */
final class UpgradeTrigger {
    /**
     * Pause before a peer that had not accepted the connection is asked again; doubles each time.
     */
    private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final int MOST_ASKED = 8;

    /** Calls between two looks at how fast answers come. */
    private static final int LOOK_CALLS = 256;

    /** Calls after which the average tells how fast answers come, whatever its first value was. */
    private static final int JUDGED_CALLS = 16 * LOOK_CALLS;

    /**
     * A longer time between two answers counts as this: one pause must not outweigh the other
     * answers.
     */
    private static final long SLOW_NANOS = 2 * UpgradePolicy.QUICK_NANOS;

    /**
     * Pause before a peer that had no listener is asked again; doubles each time. A busy program
     * listens for offload after five seconds, or earlier if its own connections start the switch.
     */
    private static final long LISTENS_BY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final int MOST_ASKED_TO_LISTEN = 5;

    /**
     * Pause before a peer is asked again that has not answered, perhaps on a busy machine, or where
     * memory or descriptors were short at one end; doubles each time. Longer than silence is
     * remembered.
     */
    private static final long LATER_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final int MOST_ASKED_LATER = 3;

    /** Answers of a connection after which it adds them to the count of all connections. */
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
    private int asked; // times that the peer had not accepted the connection
    private int foundNoListener; // times
    private int askedLater; // times

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

    /** Whether the connection should ask to move now. */
    boolean due(UpgradePolicy.Waits waits) {
        if (!policy.carriedEnough(
                waits, handover.carried(), turns, allTurns.get(), calls, turnNanos)) {
            return false;
        }
        long nowNanos = clock.getAsLong();
        return nowNanos - bornNanos >= policy.ageNanos(waits) && nowNanos - askAtNanos >= 0;
    }

    /**
     * Returns the pause before the peer is asked again, in nanoseconds; 0 = it is not asked again.
     * For one thread at a time.
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
        boolean passes =
                reason == ReasonCode.TIMED_OUT
                        || reason == ReasonCode.REMEMBERED
                        || reason == ReasonCode.MEMORY;
        return passes && askedLater < MOST_ASKED_LATER ? LATER_NANOS << askedLater++ : 0;
    }

    /** Makes the connection due no earlier than after {@code nanos}. */
    void postpone(long nanos) {
        askAtNanos = clock.getAsLong() + nanos;
    }

    /** Whether the connection, a channel that does not block, is not worth moving. */
    boolean carriesLittle() {
        return policy.keepsSelectors()
                || (calls >= JUDGED_CALLS
                        && policy.carriesLittle(
                                calls, handover.carried(), lookedNanos - bornNanos, turnNanos));
    }

    long ageMillis() {
        return TimeUnit.NANOSECONDS.toMillis(clock.getAsLong() - bornNanos);
    }
}
