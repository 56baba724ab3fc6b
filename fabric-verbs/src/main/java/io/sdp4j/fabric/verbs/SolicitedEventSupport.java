package io.sdp4j.fabric.verbs;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Finds out whether a device wakes a thread that asked for solicited events only.
 *
 * <p>No attribute of a device tells this: soft-iWARP of Linux 6.1 accepts the request and never
 * signals (it does not mark completions of receives as solicited). So the device is observed: a
 * device that has signalled once does support it; a device that has left several messages
 * unsignalled, and never signalled, does not. The messages may have been another peer's that does
 * not mark, so it is tried again now and then.
 *
 * <p>Thread-safe.
 */
final class SolicitedEventSupport {
    private static final int MOST_MISSED = 4;

    /** One in this many waits tries a device that seems not to signal; a power of two. */
    static final int TRY_EVERY = 4096;

    private volatile boolean seen;
    private final AtomicInteger missed = new AtomicInteger();
    private int waits; // lost increments do no harm

    /** Called when a solicited event came. */
    void onRung() {
        if (!seen) {
            seen = true;
        }
    }

    /** Called when a message was there, but no solicited event had come for a while. */
    void onMissed() {
        if (!seen && missed.get() < MOST_MISSED) {
            missed.incrementAndGet();
        }
    }

    /**
     * Whether the thread that is about to wait should rely on solicited events for a while. Called
     * once for each wait.
     */
    boolean come() {
        return seen || missed.get() < MOST_MISSED || (++waits & TRY_EVERY - 1) == 0;
    }
}
