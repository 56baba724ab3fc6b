package io.sdp4j.bench.apps;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TallyTest {
    @Test
    void percentilesAreNearWhatWasAdded() {
        Tally tally = new Tally();
        for (int n = 1; n <= 1000; n++) {
            tally.add(n * 1_000L);
        }
        Histogram counts = tally.counts();
        assertEquals(1000, counts.getTotalCount());
        assertTrue(counts.valuesAreEquivalent(500_000, counts.getValueAtPercentile(50)));
        assertTrue(counts.valuesAreEquivalent(990_000, counts.getValueAtPercentile(99)));
    }

    @Test
    void theFirstFailureIsKept() {
        Tally tally = new Tally();
        Exception first = new Exception();
        tally.fail(first);
        tally.fail(new Exception());
        assertSame(first, tally.failure());
    }
}
