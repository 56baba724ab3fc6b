package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: messages are left alone for as long as the peer can go on sending. */
class InterruptModerationTest {
    private static final int SLOTS = 8;

    private final InterruptModeration gather = new InterruptModeration(SLOTS);

    /** A peer that sends a message each {@code nanos}, as long as it has credits. */
    private void meet(long nanos, int times) {
        for (int i = 0; i < times; i++) {
            long came = Math.min(SLOTS - 2, gather.nanos() / nanos);
            gather.onOver((int) (SLOTS - came));
        }
    }

    @Test
    void aFastPeerDoesNotStandStill() {
        meet(20_000, 100);
        assertTrue(gather.nanos() < 6 * 20_000, () -> gather.nanos() + " ns");
        assertTrue(gather.nanos() >= 3 * 20_000, () -> gather.nanos() + " ns");
    }

    @Test
    void aSlowPeerIsLeftAloneForLonger() {
        meet(20_000, 100);
        meet(100_000, 100);
        assertEquals(InterruptModeration.MOST_NANOS, gather.nanos());
    }

    @Test
    void itIsNeverOver() {
        meet(1, 1000);
        assertEquals(InterruptModeration.LEAST_NANOS, gather.nanos());
        meet(InterruptModeration.LEAST_NANOS, 1000);
        assertTrue(gather.nanos() > InterruptModeration.LEAST_NANOS, () -> gather.nanos() + " ns");
    }
}
