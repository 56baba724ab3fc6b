package io.sdp4j.fabric.verbs;

import java.util.concurrent.TimeUnit;

/**
 * How long a reader of a stream leaves messages alone, where the device does not tell of marks, so
 * that one wake-up is for several of them: as long as the peer takes to fill most of our buffers.
 * If it can fill all of them it stands still until we wake, and the next time is shorter; if it has
 * filled few, longer.
 *
 * <p>Guarded by the queue pair's monitor.
 */
final class InterruptModeration {
    static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    /** Receives that a peer leaves to what is not payload: with so many left it stands still. */
    private static final int CONTROL_RECEIVES = 2;

    private final int receiveSlots;
    private long nanos = MOST_NANOS;

    InterruptModeration(int receiveSlots) {
        this.receiveSlots = receiveSlots;
    }

    /** The next time. */
    long nanos() {
        return nanos;
    }

    /**
     * A time is over, and there were messages.
     *
     * @param left receives that none of them has used
     */
    void onOver(int left) {
        if (left <= CONTROL_RECEIVES) {
            nanos = Math.max(LEAST_NANOS, nanos - nanos / 4);
        } else if (left > receiveSlots / 2) {
            nanos = Math.min(MOST_NANOS, nanos + nanos / 8);
        }
    }
}
