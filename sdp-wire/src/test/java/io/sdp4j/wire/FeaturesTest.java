package io.sdp4j.wire;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

/** Goal: numbers that no message could carry are refused where they are given, by their names. */
final class FeaturesTest {
    private record Range(String name, int min, int max, IntFunction<Features> with) {}

    private static final List<Range> RANGES =
            List.of(
                    new Range("lentBuffers", 0, 0xFFFF, n -> of(n, 1, 1, 1)),
                    new Range("rdmaBytes", 1, 1 << 30, n -> of(0, n, 1, 1)),
                    new Range("writesInFlight", 1, 0xFFFF, n -> of(0, 1, n, 1)),
                    new Range("inlineBytes", 1, 0xFFFF, n -> of(0, 1, 1, n)));

    private static Features of(int lent, int rdma, int writes, int inline) {
        return new Features(lent, rdma, writes, inline, false, false);
    }

    @Test
    void bothEndsOfEachRangeAreIn() {
        for (Range range : RANGES) {
            assertDoesNotThrow(() -> range.with.apply(range.min), range.name);
            assertDoesNotThrow(() -> range.with.apply(range.max), range.name);
        }
    }

    @Test
    void whatIsBeyondIsRefusedByName() {
        for (Range range : RANGES) {
            for (int wrong : new int[] {range.min - 1, range.max + 1}) {
                String said =
                        assertThrows(
                                        IllegalArgumentException.class,
                                        () -> range.with.apply(wrong),
                                        range.name)
                                .getMessage();
                assertTrue(said.startsWith(range.name + " "), said);
            }
        }
    }
}
