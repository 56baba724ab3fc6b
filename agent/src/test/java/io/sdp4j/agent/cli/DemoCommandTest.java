package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Goal: the demo knows when its measure says little, and never ends with a sentence that speaks
 * against it without saying why. Method: results that are made up.
 */
class DemoCommandTest {
    private static StreamRun.Result result(double p50, double p99, double rate, boolean offload) {
        return new StreamRun.Result(
                p50,
                p99,
                rate,
                1,
                2_000_000,
                true,
                offload ? "shm" : "",
                offload ? 1 : 0,
                offload ? 0 : 1,
                Map.of());
    }

    private static final StreamRun.Result KERNEL = result(70_000, 90_000, 4_000, false);
    private static final StreamRun.Result FAST = result(700, 2_000, 14_000, true);
    private static final StreamRun.Result LATE = result(90_000, 200_000, 14_000, true);
    private static final StreamRun.Result THIN = result(700, 2_000, 3_000, true);

    private final List<String> told = new ArrayList<>();
    private final List<Double> lengths = new ArrayList<>();

    private StreamRun.Result shown(boolean busy, StreamRun.Result... offloaded) throws Exception {
        Deque<StreamRun.Result> results = new ArrayDeque<>(List.of(offloaded));
        return DemoCommand.adapting(
                        1.5,
                        busy,
                        told::add,
                        length -> {
                            lengths.add(length);
                            return new DemoCommand.Comparison(KERNEL, results.remove());
                        })
                .offload();
    }

    @Test
    void oneMeasureIsEnoughWhereItShowsWhatItShould() throws Exception {
        assertEquals(FAST, shown(false, FAST));
        assertEquals(List.of(1.5), lengths);
        assertEquals(List.of(), told);
    }

    @Test
    void aBusyMachineIsMeasuredLongerAndToldSo() throws Exception {
        assertEquals(LATE, shown(true, LATE));
        assertEquals(List.of(3.0), lengths);
        assertEquals(1, told.size());
        assertTrue(told.getFirst().startsWith("this machine is busy (load "), told.getFirst());
        assertTrue(DemoCommand.busy(1.6, 2));
        assertFalse(DemoCommand.busy(1.4, 2));
        assertFalse(DemoCommand.busy(-1, 2), "no load is known");
    }

    @Test
    void whatIsNotFasterIsMeasuredOnceMoreForLonger() throws Exception {
        for (StreamRun.Result slow : List.of(LATE, THIN)) {
            told.clear();
            lengths.clear();
            assertEquals(FAST, shown(false, slow, FAST));
            assertEquals(List.of(1.5, 3.0), lengths);
            assertEquals(1, told.size());
            assertTrue(told.getFirst().contains("compiling still"), told.getFirst());
        }
    }

    @Test
    void whatCannotBeComparedIsNotMeasuredAgain() throws Exception {
        assertEquals(KERNEL, shown(false, KERNEL));
        assertEquals(List.of(1.5), lengths);
    }

    @Test
    void withOneProcessorTheConnectionMovesAtOnce() {
        Path rules = Path.of("/r.conf");
        assertEquals("connect", StreamRun.options(rules, 1).get("upgrade"));
        assertEquals(Map.of("policy", "/r.conf"), StreamRun.options(rules, 2));
    }

    private static String sentence(StreamRun.Result offload) {
        return DemoCommand.sentence(KERNEL, offload, true, offload.offloaded() > 0);
    }

    @Test
    void theLastSentenceExplainsWhatSpeaksAgainstIt() {
        assertTrue(sentence(FAST).endsWith("took 0.70 us instead of 70.00 us."), sentence(FAST));
        for (StreamRun.Result slow : List.of(LATE, THIN)) {
            String why = sentence(slow);
            assertTrue(why.contains("Not all of it was faster: "), why);
            assertTrue(why.contains("Try again with --seconds=30"), why);
        }
        String tail = sentence(result(700, 100_000, 14_000, true));
        assertTrue(tail.contains("One round trip in a hundred took longer"), tail);
        assertTrue(sentence(KERNEL).startsWith("FAILED: with the agent"), sentence(KERNEL));
        assertTrue(DemoCommand.sentence(KERNEL, FAST, false, true).startsWith("FAILED: not every"));
    }
}
