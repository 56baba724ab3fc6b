package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RowTest {
    private static List<Row> rows(boolean comparingNeighbours) {
        return Stream.concat(Suite.NET.rows().stream(), Suite.NIO.rows().stream())
                .filter(row -> row.comparesNeighbours() == comparingNeighbours)
                .toList();
    }

    /** Goal: a difference of three percent at most is told from a machine's noise. */
    @Test
    void neighboursAreManyAndNear() {
        assertEquals(
                List.of("kernel-rtt", "kernel-stream", "kernel-netty", "kernel-http"),
                rows(true).stream().map(Row::id).toList());
        for (Row row : rows(true)) {
            assertTrue(row.bars().stream().allMatch(b -> b.kind() == Bar.Kind.IN_TURN), row.id());
            Times times = row.times(Times.FULL);
            assertTrue(times.warmMs() + times.measureMs() <= 350, row.id());
            assertTrue(times.rounds() * row.slices() >= 60, row.id());
            assertEquals(0, row.slices() % (row.configs().size() * row.pairs()), row.id());
        }
    }

    @Test
    void allElseTakesItsTime() {
        for (Row row : rows(false)) {
            assertEquals(Times.FULL, row.times(Times.FULL), row.id());
        }
        for (Row row : rows(true)) {
            assertEquals(Times.QUICK.measureMs(), row.times(Times.QUICK).measureMs(), row.id());
        }
    }
}
