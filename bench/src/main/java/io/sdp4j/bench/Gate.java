package io.sdp4j.bench;

import static io.sdp4j.bench.Config.SHM;
import static io.sdp4j.bench.Config.TCP;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A short run that fails when performance has collapsed and not when the machine was busy: few
 * rows, bars far below what is normal, and what misses one is measured again, twice at most. For
 * builds; the results proper come from a full run.
 */
final class Gate {
    static final Times TIMES = new Times(3, 1500, 100, 300, 1);

    static final List<Row> ROWS =
            List.of(
                    row("rtt64", Bar.faster("p50", SHM, TCP, 3)),
                    row("oneway64", Bar.faster("writes", SHM, TCP, 3)),
                    row("stream64k", Bar.faster("bytes", SHM, TCP, 1.5)),
                    row("connect", Bar.timesAsLong("p50", SHM, TCP, 4)),
                    row("alloc", Bar.atMost("alloc", SHM, Row.ZERO_BYTES)));

    private static final int ATTEMPTS = 3;

    private Gate() {}

    /** Measures rows. */
    interface Measuring {
        Results run(List<Row> rows) throws IOException, InterruptedException;
    }

    /** A row of the table between two configurations only, with another bar. */
    private static Row row(String id, Bar bar) {
        Row full = Row.ALL.stream().filter(r -> r.id().equals(id)).findFirst().orElseThrow();
        return new Row(
                id, full.title(), full.work(), full.metric(), List.of(TCP, SHM), 1, List.of(bar));
    }

    /** The rows that missed their bar every time they were measured; empty = pass. */
    static List<Row> failing(Measuring measuring) throws IOException, InterruptedException {
        List<Row> rows = ROWS;
        for (int attempt = 0; attempt < ATTEMPTS && !rows.isEmpty(); attempt++) {
            Results results = measuring.run(rows);
            List<Row> missed = new ArrayList<>();
            for (Row row : rows) {
                if (row.bars().stream().anyMatch(bar -> !results.verdict(row, bar).passed())) {
                    missed.add(row);
                }
            }
            rows = missed;
        }
        return rows;
    }
}
