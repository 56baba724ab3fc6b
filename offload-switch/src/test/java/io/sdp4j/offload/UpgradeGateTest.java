package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Goal: connections move unless a crowd of threads wants the processors. Method: counts of threads
 * and times that are given.
 */
final class UpgradeGateTest {
    private static final int PROCESSORS = 2;
    private static final int MOST = PROCESSORS * UpgradeGate.CROWD;

    private final AtomicInteger threads = new AtomicInteger();
    private final AtomicInteger looks = new AtomicInteger();
    private final UpgradeGate gate =
            new UpgradeGate(
                    () -> {
                        looks.incrementAndGet();
                        return threads.get();
                    },
                    PROCESSORS);
    private long nowNanos = Long.MAX_VALUE - 1; // it may overflow

    private boolean later(int runnable) {
        threads.set(runnable);
        nowNanos += UpgradeGate.LOOK_NANOS;
        return gate.isOpen(nowNanos);
    }

    @Test
    void isOpenUpToTheCrowd() {
        assertTrue(later(MOST));
        assertTrue(later(0));
    }

    @Test
    void closesInACrowd() {
        assertFalse(later(MOST + 1));
    }

    @Test
    void oneQuietMomentDoesNotOpenIt() {
        assertFalse(later(2 * MOST));
        assertFalse(later(0));
        assertFalse(later(2 * MOST));
    }

    @Test
    void oneCrowdedMomentDoesNotCloseIt() {
        assertTrue(later(1));
        assertTrue(later(2 * MOST));
    }

    @Test
    void opensWhenTheCrowdHasGone() {
        assertFalse(later(2 * MOST));
        for (int i = 0; i < 10; i++) {
            later(1);
        }
        assertTrue(later(1));
    }

    @Test
    void aCrowdOfLongAgoDoesNotCloseIt() {
        assertFalse(later(10 * MOST));
        nowNanos += UpgradeGate.OLD_NANOS;
        assertTrue(later(1));
    }

    @Test
    void aQuietTimeOfLongAgoDoesNotOpenIt() {
        assertTrue(later(1));
        nowNanos += UpgradeGate.OLD_NANOS;
        assertFalse(later(2 * MOST));
    }

    /** A connection that waits asks once a second. */
    @Test
    void oneQuietMomentDoesNotOpenItForOneThatWaits() {
        assertFalse(later(2 * MOST));
        nowNanos += UpgradeGate.WAIT_NANOS;
        assertFalse(later(0));
    }

    @Test
    void countsSeldom() {
        assertTrue(later(1));
        for (int i = 0; i < 100; i++) {
            assertTrue(gate.isOpen(nowNanos));
        }
        assertEquals(1, looks.get());
    }

    @Test
    void thisMachineTells() {
        Awaitility.await("fewer threads than a crowd")
                .atMost(Duration.ofMinutes(1))
                .until(() -> UpgradeGate.OfMachine.GATE.isOpen(System.nanoTime()));
    }
}
