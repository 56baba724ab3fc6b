package io.sdp4j.fabric.verbs;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether one device wakes a thread that asked to be woken by solicited events only.
 *
 * <p>Nothing that a device says of itself tells it: soft-iWARP of Linux 6.1 takes the request and
 * never rings (its completions of receives are not marked as solicited, whatever came). So it is
 * seen: one that has rung once does it, and one that has let several messages lie without having
 * ever rung does not.
 *
 * <p>Thread-safe.
 */
final class SolicitedEventSupport {
    private static final int MOST_MISSED = 4;

    private volatile boolean seen;
    private final AtomicInteger missed = new AtomicInteger();

    /** A solicited event came. */
    void onRung() {
        if (!seen) {
            seen = true;
        }
    }

    /** None came for a while, and a message was there. */
    void onMissed() {
        if (!seen && missed.get() < MOST_MISSED) {
            missed.incrementAndGet();
        }
    }

    /** Whether one that waits may rely on them for a while. */
    boolean come() {
        return seen || missed.get() < MOST_MISSED;
    }
}
