package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a machine's state is told by the bare hand-over, and waited for as long as promised. */
@Timeout(60)
class RestTest {
    private final Deque<Double> readings = new ArrayDeque<>();

    /** Gives the readings in turn, then the last one for ever. */
    private Rest rest(long patienceMs, double... then) {
        for (double reading : then) {
            readings.add(reading);
        }
        return new Rest(
                () -> readings.size() > 1 ? readings.remove() : readings.element(), 1, patienceMs);
    }

    @Test
    void aMachineAtRestIsLookedAtForAWhileOnceAndNeverWaitedFor() throws Exception {
        Rest rest = rest(1000, 100);
        assertEquals(100, rest.await());
        long first = rest.waitedMs();
        assertEquals(10, first);
        assertEquals(100, rest.await());
        assertEquals(first, rest.waitedMs());
    }

    /** Also where it was not at rest when the run began. */
    @Test
    void itIsWaitedForUntilItIsAtRestAgain() throws Exception {
        Rest rest = rest(1000, 500, 500, 500, 110, 100, 90, 95, 100, 100, 100, 510, 120, 500, 100);
        assertEquals(120, rest.await());
        assertEquals(List.of(500.0, 100.0), List.copyOf(readings));
        assertEquals(100, rest.await());
        assertEquals(12, rest.waitedMs());
    }

    @Test
    void patienceEnds() throws Exception {
        Rest rest = rest(50, 100, 500);
        assertEquals(500, rest.await());
        assertEquals(40, rest.waitedMs());
        assertEquals(500, rest.await());
        assertEquals(50, rest.waitedMs());
        assertEquals(500, rest.await());
        assertEquals(50, rest.waitedMs());
    }

    @Test
    void statesAreFarApart() {
        assertTrue(Rest.alike(70, 139));
        assertTrue(Rest.alike(139, 70));
        assertTrue(!Rest.alike(110, 490));
        assertTrue(!Rest.alike(490, 110));
    }

    @Test
    void aHandOverTakesItsTime() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
        double nanos = new HandOver().nanos();
        assertTrue(nanos > 1, () -> nanos + " ns");
    }
}
