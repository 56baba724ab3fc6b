package io.sdp4j.bench.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TallyTest {
    @Test
    void quantilesAreNearWhatWasAdded() {
        Tally tally = new Tally();
        Tally.Lane one = tally.lane();
        Tally.Lane other = tally.lane();
        for (int n = 1; n <= 1000; n++) {
            one.add(n * 1_000L);
            other.add(n * 1_000L);
        }
        Tally.Counts counts = tally.counts();
        assertEquals(2000, counts.total());
        assertNear(500_000, counts.quantile(0.5));
        assertNear(990_000, counts.quantile(0.99));
    }

    @Test
    void whatCameEarlierIsNotCounted() {
        Tally tally = new Tally();
        Tally.Lane lane = tally.lane();
        lane.add(Long.MAX_VALUE);
        Tally.Counts earlier = tally.counts();
        lane.add(0);
        Tally.Counts later = tally.counts().since(earlier);
        assertEquals(1, later.total());
        assertEquals(0, later.quantile(1));
    }

    /** Shorter times have classes of their own. */
    @Test
    void everyTimeHasAClass() {
        for (long nanos = 1; nanos > 0; nanos *= 2) {
            for (long near = nanos - 1; near <= nanos + 1; near++) {
                Tally tally = new Tally();
                tally.lane().add(near);
                assertNear(near, tally.counts().quantile(0.5));
            }
        }
    }

    @Test
    void theFirstFailureIsKept() {
        Tally tally = new Tally();
        Exception first = new Exception();
        tally.fail(first);
        tally.fail(new Exception());
        assertSame(first, tally.failure());
    }

    private static void assertNear(long wanted, long was) {
        assertTrue(Math.abs(was - wanted) <= wanted / 64, () -> was + " for " + wanted);
    }
}
