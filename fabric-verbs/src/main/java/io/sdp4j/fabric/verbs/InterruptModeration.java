package io.sdp4j.fabric.verbs;

import java.util.concurrent.TimeUnit;

/**
 * Computes how long a reader of a stream leaves messages alone if the device does not signal marks,
 * so that one wake-up serves several messages: as long as the peer takes to fill most of our
 * buffers. If the peer fills all of them, it has to wait until we wake, and the next time is
 * shorter. If the peer fills few, the next time is longer.
 *
 * <p>Guarded by the queue pair's monitor.
 */
final class InterruptModeration {
    static final long MOST_NANOS = TimeUnit.MICROSECONDS.toNanos(200);
    static final long LEAST_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

    /**
     * Receives that a peer reserves for messages without payload. With no more than these left, the
     * peer waits.
     */
    private static final int CONTROL_RECEIVES = 2;

    private final int receiveSlots;
    private long nanos = MOST_NANOS;

    InterruptModeration(int receiveSlots) {
        this.receiveSlots = receiveSlots;
    }

    /** Returns the next time. */
    long nanos() {
        return nanos;
    }

    /**
     * Called when a time is over and there were messages.
     *
     * @param left receives that the messages have not used
     */
    void onOver(int left) {
        if (left <= CONTROL_RECEIVES) {
            nanos = Math.max(LEAST_NANOS, nanos - nanos / 4);
        } else if (left > receiveSlots / 2) {
            nanos = Math.min(MOST_NANOS, nanos + nanos / 8);
        }
    }
}
