package io.sdp4j.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/**
 * Goal: a thread gives its processor away only while that pays, and finds out again when it does.
 * Method: the processor and the clock are counters.
 */
class AdaptiveYieldTest {
    private static final int MOST = 4;
    private static final long TURN_NANOS = 500_000;
    private static final long SHORT_NANOS = 5_000;

    private int given;
    private long now;
    private long takesNanos = SHORT_NANOS;

    private void giveAway() {
        given++;
        now += takesNanos;
    }

    private final AdaptiveYield yielder =
            new AdaptiveYield(MOST, TURN_NANOS, this::giveAway, () -> now);

    /** How often the processor is given away in {@code waits} of this kind. */
    private int given(int waits, boolean found) {
        int before = given;
        for (int i = 0; i < waits; i++) {
            assertFalse(yielder.giveWay(() -> found) && !found);
        }
        return given - before;
    }

    @Test
    void looksAfterEachTime() {
        assertTrue(yielder.giveWay(() -> given == 3));
        assertEquals(3, given);
    }

    @Test
    void givesUpAfterTheMost() {
        assertFalse(yielder.giveWay(() -> false));
        assertEquals(MOST, given);
    }

    @Test
    void goesOnWhileItPays() {
        assertEquals(1_000, given(1_000, true));
    }

    @Test
    void waitsInVainCostNextToNothing() {
        given(3, false);
        assertEquals(0, given(60, false));
        assertEquals(64 * MOST, given(64 * 64, false));
    }

    @Test
    void oneThatFoundSomethingAgainGoesOn() {
        given(3 + 63, false);
        assertEquals(10, given(10, true));
    }

    /** The first of several that begin with it comes late, until the others do the same. */
    @Test
    void aFewLongTurnsAreBorne() {
        takesNanos = 3_000_000;
        assertEquals(3, given(3, true));
        takesNanos = SHORT_NANOS;
        assertEquals(1_000, given(1_000, true));
    }

    /** Others keep the processor that was given away to get an answer. */
    @Test
    void endsWhereOthersKeepTheProcessor() {
        takesNanos = 3_000_000;
        int waits = 1_000_000;
        int times = given(waits, true);
        assertTrue(times < 80, () -> times + " times");
    }

    @Test
    void beginsAgainWhereOthersHaveGone() {
        takesNanos = 3_000_000;
        given(1_000, true);
        takesNanos = SHORT_NANOS;
        given(2_000, true);
        assertEquals(1_000, given(1_000, true));
    }

    @Test
    void neverWhereItMayNot() {
        AdaptiveYield none = new AdaptiveYield(0, TURN_NANOS, this::giveAway, () -> now);
        for (int i = 0; i < 1_000; i++) {
            assertFalse(none.giveWay(() -> true));
        }
        assertEquals(0, given);
    }
}
