package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: a machine's state is told by the bare hand-over, and waited for as long as promised. */
@Timeout(60)
class QuiescenceGuardTest {
    private final Deque<Double> readings = new ArrayDeque<>();

    /** Gives the readings in turn, then the last one for ever. */
    private QuiescenceGuard rest(long patienceMs, double... then) {
        for (double reading : then) {
            readings.add(reading);
        }
        return new QuiescenceGuard(
                () -> readings.size() > 1 ? readings.remove() : readings.element(), 1, patienceMs);
    }

    @Test
    void aMachineAtRestIsLookedAtForAWhileOnceAndNeverWaitedFor() throws Exception {
        QuiescenceGuard rest = rest(1000, 100);
        assertEquals(100, rest.await());
        long first = rest.waitedMs();
        assertEquals(10, first);
        assertEquals(100, rest.await());
        assertEquals(first, rest.waitedMs());
    }

    /** Also where it was not idle when the run began. */
    @Test
    void itIsWaitedForUntilItIsAtRestAgain() throws Exception {
        QuiescenceGuard rest =
                rest(1000, 500, 500, 500, 110, 100, 90, 95, 100, 100, 100, 510, 120, 500, 100);
        assertEquals(120, rest.await());
        assertEquals(List.of(500.0, 100.0), List.copyOf(readings));
        assertEquals(100, rest.await());
        assertEquals(12, rest.waitedMs());
    }

    @Test
    void patienceEnds() throws Exception {
        QuiescenceGuard rest = rest(50, 100, 500);
        assertEquals(500, rest.await());
        assertEquals(40, rest.waitedMs());
        assertEquals(500, rest.await());
        assertEquals(50, rest.waitedMs());
        assertEquals(500, rest.await());
        assertEquals(50, rest.waitedMs());
    }

    @Test
    void statesAreFarApart() {
        assertTrue(QuiescenceGuard.alike(70, 139));
        assertTrue(QuiescenceGuard.alike(139, 70));
        assertTrue(!QuiescenceGuard.alike(110, 490));
        assertTrue(!QuiescenceGuard.alike(490, 110));
    }

    /** It may have been moved away and back between two readings. */
    @Test
    void aSliceInWhichAProcessorWasTakenAwayIsDisturbed() {
        assertTrue(QuiescenceGuard.undisturbed(110, 120, 0));
        assertFalse(QuiescenceGuard.undisturbed(110, 490, 0));
        assertFalse(QuiescenceGuard.undisturbed(110, 120, 10));
    }

    @Test
    void whatTheHostTookIsReadWhereItIsTold(@TempDir Path directory) throws Exception {
        Path stat = directory.resolve("stat");
        Files.writeString(
                stat, "cpu  2935696 33948 1300438 2331602 6527 0 167559 3970 0 0\ncpu0 1\n");
        assertEquals(39_700, Machine.stolenMs(stat));
        Files.writeString(stat, "cpu  1 2 3 4 5 6 7\n");
        assertEquals(0, Machine.stolenMs(stat));
        assertEquals(0, Machine.stolenMs(directory.resolve("none")));
    }

    @Test
    void aHandOverTakesItsTime() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
        double nanos = new HandOver().nanos();
        assertTrue(nanos > 1, () -> nanos + " ns");
    }
}
