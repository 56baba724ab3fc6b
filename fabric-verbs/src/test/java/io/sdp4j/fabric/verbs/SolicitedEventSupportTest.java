package io.sdp4j.fabric.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Goal: a device is judged by what it does. */
class SolicitedEventSupportTest {
    private final SolicitedEventSupport marks = new SolicitedEventSupport();

    private void miss(int times) {
        for (int i = 0; i < times; i++) {
            marks.onMissed();
        }
    }

    @Test
    void aDeviceThatNeverRingsIsNotReliedOn() {
        miss(3);
        assertTrue(marks.come(), "a sender may have been slow");
        miss(1);
        assertFalse(marks.come());
    }

    @Test
    void oneThatHasRungOnceIsReliedOn() {
        miss(3);
        marks.onRung();
        miss(1000);
        assertTrue(marks.come());
    }

    @Test
    void itIsTriedAgainNowAndThen() {
        miss(10);
        int tries = 0;
        for (int i = 0; i < 2 * SolicitedEventSupport.TRY_EVERY; i++) {
            tries += marks.come() ? 1 : 0;
        }
        assertEquals(2, tries);
    }

    @Test
    void oneThatRingsAfterAllIsReliedOnAgain() {
        miss(10);
        marks.onRung();
        assertTrue(marks.come());
    }
}
