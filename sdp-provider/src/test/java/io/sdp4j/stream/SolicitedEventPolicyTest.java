package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: few messages of a stream are marked, and none that a thread waits behind is left out. */
final class SolicitedEventPolicyTest {
    private final SolicitedEventPolicy marks = new SolicitedEventPolicy();

    /** How many of {@code n} messages of a stream that goes on are marked. */
    private int markedOf(int n) {
        int marked = 0;
        for (int i = 0; i < n; i++) {
            marked += marks.next(true) ? 1 : 0;
        }
        return marked;
    }

    @Test
    void oneInFourOfAStreamIsMarked() {
        assertEquals(25, markedOf(100));
        assertFalse(marks.owed(), "the last was the fourth");
    }

    @Test
    void aMessageThatNoneFollowsIsMarked() {
        for (int before = 0; before < SolicitedEventPolicy.BURST; before++) {
            markedOf(before);
            assertTrue(marks.next(false));
            assertFalse(marks.owed());
        }
    }

    @Test
    void whoWaitsOwesAMarkAfterAnUnmarkedMessageOnly() {
        assertFalse(marks.owed());
        assertFalse(marks.next(true));
        assertTrue(marks.owed());
        marks.onMarked();
        assertFalse(marks.owed());
        assertEquals(1, markedOf(4), "it counts anew");
    }

    /** Goal: a program that waits after each message costs its peer no second one each time. */
    @Test
    void whereMarksAreOwedEachMessageIsMarkedForLongerAndLonger() {
        int paid = 0;
        int messages = 1 << 20;
        for (int i = 0; i < messages; i++) {
            marks.next(true);
            if (marks.owed()) {
                marks.onPaid();
                paid++;
            }
        }
        assertTrue(paid <= 11 + messages / SolicitedEventPolicy.MOST_PAUSE, "paid " + paid);
    }

    @Test
    void aStreamThatGoesWellIsMarkedSparselyAgain() {
        for (int i = 0; i < 30; i++) {
            marks.next(true);
            marks.onPaid();
        }
        assertEquals(
                SolicitedEventPolicy.MOST_PAUSE,
                markedOf(SolicitedEventPolicy.MOST_PAUSE),
                "the longest pause");
        markedOf(SolicitedEventPolicy.BURST * SolicitedEventPolicy.WELL * 16);
        assertFalse(marks.next(true));
        marks.onPaid();
        assertEquals(SolicitedEventPolicy.LEAST_PAUSE, markedOf(SolicitedEventPolicy.LEAST_PAUSE));
        assertFalse(marks.next(true), "the pause is short again");
    }
}
