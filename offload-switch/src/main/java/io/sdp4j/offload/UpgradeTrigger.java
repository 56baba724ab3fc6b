package io.sdp4j.offload;

import io.sdp4j.api.ReasonCode;
import java.util.concurrent.TimeUnit;

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

    /** Before a peer is asked again that had no listener: it may still be starting. Once. */
    private static final long LISTENS_BY_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final UpgradePolicy policy;
    private final Handover handover;
    private final long bornNanos;
    private volatile long askAtNanos;
    private boolean wrote; // since the last read
    private long turns; // reader
    private long calls; // that carried something
    private int asked; // how often the peer had not accepted the connection
    private boolean foundNoListener;

    UpgradeTrigger(UpgradePolicy policy, Handover handover, Began began) {
        this.policy = policy;
        this.handover = handover;
        this.bornNanos = began.nanos();
        this.askAtNanos = bornNanos;
        this.turns = began.turns();
    }

    void received() {
        calls++;
        if (wrote) {
            wrote = false;
            turns++;
        }
    }

    void sent() {
        calls++;
        wrote = true;
    }

    /** Whether it is worth moving now. */
    boolean due(UpgradePolicy.Waits waits) {
        if (!policy.carriedEnough(waits, carried(), turns, calls)) {
            return false;
        }
        long nowNanos = System.nanoTime();
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
        if (reason == ReasonCode.NO_PEER && !foundNoListener) {
            foundNoListener = true;
            return LISTENS_BY_NANOS;
        }
        return 0;
    }

    /** It is not due before that time has passed. */
    void postpone(long nanos) {
        askAtNanos = System.nanoTime() + nanos;
    }

    /** Whether it is not worth moving, in a channel that does not block. */
    boolean carriesLittle() {
        return policy.carriesLittle(calls, carried());
    }

    /** Bytes of both directions by TCP. */
    long carried() {
        return handover.sentBytes() + handover.receivedBytes();
    }

    long ageMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - bornNanos);
    }
}
