package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
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

    /** Goal: rows are told apart, and their bars are of what is measured. */
    @Test
    void rowsAreReadFromTheirTables() {
        Set<String> ids = new HashSet<>();
        for (Suite suite : Suite.ALL) {
            for (Row row : suite.rows()) {
                assertTrue(ids.add(row.id()), row.id());
                assertFalse(row.title().isEmpty() || row.title().contains("  "), row.id());
                assertFalse(row.bars().isEmpty(), row.id());
                for (Bar bar : row.bars()) {
                    assertTrue(row.configs().contains(bar.subject()), row.id());
                    assertTrue(row.configs().contains(bar.base()), row.id());
                }
            }
        }
    }

    @Test
    void aBarThatDoesNotExistIsRefused() {
        for (String text :
                List.of("quicker p50 SHM TCP 2", "faster p50 SHM 2", "faster p50 sdp 2")) {
            assertThrows(IllegalArgumentException.class, () -> Bar.parse(text), text);
        }
        assertEquals(
                new Bar("p999", Config.SHM, Config.TCP, "p50", Bar.Kind.SPEEDUP, 1),
                Bar.parse("below p999 SHM p50 TCP"));
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
