package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The rings of regions and of RDMA operations: order, growth, reuse. */
class RingTest {
    private final Regions regions = new Regions();
    private final Flights flights = new Flights();

    private void add(int from, int to) {
        for (int i = from; i < to; i++) {
            regions.add(i, 100 + i, 200 + i, 300 + i);
        }
    }

    private void assertHolds(int from, int to) {
        assertEquals(to - from, regions.size());
        for (int i = from; i < to; i++) {
            Region r = regions.get(i - from);
            assertEquals(i, r.buffer);
            assertEquals(100 + i, r.lenBytes);
            assertEquals(200 + i, r.rkey);
            assertEquals(300 + i, r.va);
        }
    }

    @Test
    void regionsKeepTheirOrder() {
        assertTrue(regions.isEmpty());
        add(0, 4);
        assertHolds(0, 4);
        regions.removeFirst();
        regions.removeFirst();
        regions.removeFirst();
        add(4, 7); // round the end
        assertHolds(3, 7);
        add(7, 9); // grown while the oldest lies in the middle
        assertHolds(3, 9);
        assertEquals(3, regions.first().buffer);
        regions.removeLast();
        assertHolds(3, 8);
        add(8, 40);
        assertHolds(3, 40);
        regions.clear();
        assertTrue(regions.isEmpty());
        add(0, 3);
        assertHolds(0, 3);
    }

    /** Nothing of its former life is left in a region. */
    @Test
    void regionsStartAnew() {
        Region r = regions.add(1, 2, 3, 4);
        r.issued = 1;
        r.done = 1;
        r.advertised = true;
        r.mseq = 1;
        r.outcome = ActionList.COPY;
        r.offerable = true;
        r.inlineBytes = 1;
        r.reported = 1;
        r.refused = true;
        r.set(5, 6, 7, 8);
        assertEquals(6, r.left());
        assertFalse(r.moving() || r.advertised || r.offerable || r.refused);
        assertEquals(0, r.done + r.mseq + r.outcome + r.inlineBytes + r.reported);
    }

    @Test
    void theFirstThatMoves() {
        add(0, 3);
        assertThrows(AssertionError.class, regions::firstMoving);
        regions.get(1).issued = 10;
        regions.get(2).issued = 10;
        assertEquals(1, regions.firstMoving().buffer);
        regions.get(1).done = 10;
        assertEquals(2, regions.firstMoving().buffer);
    }

    @Test
    void flightsKeepTheirOrder() {
        int landed = 0;
        int launched = 0;
        for (int round = 1; round < 40; round++) {
            for (int i = 0; i < round; i++) {
                flights.add(++launched);
            }
            for (int i = 0; i < round - 1; i++) {
                assertEquals(++landed, flights.complete());
            }
            assertEquals(launched - landed, flights.size());
            assertEquals(landed, flights.completed());
        }
    }
}
