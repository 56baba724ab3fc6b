package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

/**
 * Every schedule within small bounds, by the same scenario and the same oracles as the simulation.
 *
 * <p>Bounds: two connections of four buffers each (the fewest there may be, so that the third
 * message already waits for credits), payloads of one size, one event at a time. From every state
 * reached, everything is also left to settle, both sides close, and the end is proved.
 *
 * {@snippet lang = text :
 *  what may happen                                   writes     states     run in
 *  messages, reads                                   4 and 4    20,164     every build
 *  the same, three sends in flight at most           2 and 2    11,983     every build
 *  also shutdown and close of either side            1 and 1    33,425     every build
 *  also queue pairs that fail, timers at any time    0 and 0    57,550     every build
 *  a buffer lent each way, recalls, refusal          0 and 0    300        every build
 *  the same, and the way to Pipelined                1 and 0    23,993     every build
 *  messages, reads, each side may suspend twice       1 and 1    9,451      every build
 *  once, and shutdown and close of either side       0 and 0    2,756      every build
 *  messages, reads                                   5 and 5    59,638     deep
 *  also shutdown and close of either side            2 and 1    168,686    deep
 *  also queue pairs that fail, timers at any time    1 and 0    412,934    deep
 *  a buffer lent each way, shutdown and close        0 and 0    157,372    deep
 *  messages, reads, each side may suspend once        3 and 3    316,496    deep
 *  also shutdown and close of either side            1 and 1    455,130    deep
 *  also queue pairs that fail, timers at any time    0 and 0    517,344    deep
 *  a buffer lent each way, each side may suspend once 0 and 0    10,648     deep
 * }
 *
 * <p>A number that changes is no fault by itself: the machine has come to tell more or fewer states
 * apart, and this table must say so.
 */
class ExhaustiveTest {
    private static final int ANY_DEPTH = Integer.MAX_VALUE;

    @Test
    void stream() {
        assertEquals(20_164, states(Faults.NONE, 4, 4, ANY_DEPTH));
    }

    @Test
    void streamOfShallowQueues() {
        assertEquals(11_983, states(Faults.NONE, 2, 2, WireConfig.MIN_SEND_DEPTH));
    }

    @Test
    void ends() {
        assertEquals(33_425, states(Faults.ENDS, 1, 1, ANY_DEPTH));
    }

    @Test
    void failures() {
        assertEquals(57_550, states(Faults.ALL, 0, 0, ANY_DEPTH));
    }

    @Test
    void longerStream() {
        assumeTrue(Effort.deep());
        assertEquals(59_638, states(Faults.NONE, 5, 5, ANY_DEPTH));
    }

    @Test
    void endsOfAStream() {
        assumeTrue(Effort.deep());
        assertEquals(168_686, states(Faults.ENDS, 2, 1, ANY_DEPTH));
    }

    @Test
    void failuresOfAStream() {
        assumeTrue(Effort.deep());
        assertEquals(412_934, states(Faults.ALL, 1, 0, ANY_DEPTH));
    }

    @Test
    void oneBufferLent() {
        assertEquals(300, lentStates(Faults.NONE, 0, false));
        assertEquals(23_993, lentStates(Faults.NONE, 1, true));
    }

    @Test
    void endsWithABufferLent() {
        assumeTrue(Effort.deep());
        assertEquals(157_372, lentStates(Faults.ENDS, 0, false));
    }

    @Test
    void suspension() {
        assertEquals(9_451, suspendedStates(Faults.NONE, 1, 1, 2));
        assertEquals(2_756, suspendedStates(Faults.ENDS, 0, 0, 1));
    }

    @Test
    void restOfALongerStream() {
        assumeTrue(Effort.deep());
        assertEquals(316_496, suspendedStates(Faults.NONE, 3, 3, 1));
    }

    @Test
    void endsAndSuspension() {
        assumeTrue(Effort.deep());
        assertEquals(455_130, suspendedStates(Faults.ENDS, 1, 1, 1));
    }

    @Test
    void failuresAndSuspension() {
        assumeTrue(Effort.deep());
        assertEquals(517_344, suspendedStates(Faults.ALL, 0, 0, 1));
    }

    @Test
    void restWithABufferLent() {
        assumeTrue(Effort.deep());
        assertEquals(10_648, lentStates(Faults.NONE, 0, 1, false, 1));
    }

    /** The search itself: three choices of two, three and two make twelve runs and no more. */
    @Test
    void everyChoiceIsTaken() {
        boolean[] taken = new boolean[12];
        Explorer explorer =
                Explorer.explore(
                        choices -> {
                            int number = choices.below(2) * 6 + choices.below(3) * 2;
                            taken[number + choices.below(2)] = true;
                        });
        assertEquals(12, explorer.runs());
        for (boolean one : taken) {
            assertTrue(one);
        }
    }

    /** A fault deep in the tree is found, and its choices are named. */
    @Test
    void faultsAreFound() {
        AssertionError error =
                assertThrows(
                        AssertionError.class,
                        () ->
                                Explorer.explore(
                                        choices -> {
                                            boolean first = choices.below(4) == 3;
                                            boolean second = choices.below(4) == 2;
                                            assertTrue(!first || !second);
                                        }));
        assertEquals("after the choices [3, 2]", error.getMessage());
    }

    private static int states(Faults faults, int writes, int peerWrites, int sendDepth) {
        WireConfig config = new WireConfig(WireConfig.MIN_RECEIVE_SLOTS, 64, sendDepth, 4, 4, 4);
        return states(faults, new Bounds(config, config, writes, peerWrites, true, 0, false, 0));
    }

    /** Either side may suspend this often. */
    private static int suspendedStates(Faults faults, int writes, int peerWrites, int suspensions) {
        WireConfig config =
                new WireConfig(
                        WireConfig.MIN_RECEIVE_SLOTS,
                        64,
                        ANY_DEPTH,
                        4,
                        4,
                        4,
                        Features.NONE.withSuspending());
        return states(
                faults.suspending(),
                new Bounds(config, config, writes, peerWrites, true, 0, false, suspensions));
    }

    /** One source of three bytes, read or written one by one, and one sink. */
    private static int lentStates(Faults faults, int writes, boolean pipelines) {
        return lentStates(faults, writes, 1, pipelines, 0);
    }

    private static int lentStates(
            Faults faults, int writes, int lends, boolean pipelines, int suspensions) {
        Features features = new Features(2, 1, 1, 1, false, suspensions > 0);
        WireConfig config =
                new WireConfig(WireConfig.MIN_RECEIVE_SLOTS, 64, ANY_DEPTH, 4, 4, 4, features);
        Faults all = suspensions > 0 ? faults.lent().suspending() : faults.lent();
        return states(
                all, new Bounds(config, config, writes, 0, true, lends, pipelines, suspensions));
    }

    private static int states(Faults faults, Bounds bounds) {
        Explorer explorer =
                Explorer.explore(
                        choices -> {
                            MachinePair pair = new MachinePair(choices, faults, bounds, false);
                            if (pair.run(Integer.MAX_VALUE)) {
                                pair.finish();
                            }
                        });
        return explorer.states();
    }
}
