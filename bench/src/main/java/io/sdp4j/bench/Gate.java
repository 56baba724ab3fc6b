package io.sdp4j.bench;

import java.io.IOException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A short run that fails when performance has collapsed and not when the machine was busy: few
 * rows, bars far below what is normal, and a row that misses one is measured again, twice at most.
 * On a machine that does not become idle only figures that load cannot change are judged. For
 * builds; the results proper come from a full run.
 *
 * @param loadProof the row whose numbers do not depend on what else the machine does
 */
record Gate(Times times, List<Row> rows, String loadProof) {
    private static final Gate NET =
            new Gate(
                    new Times(3, 1500, 4000, 100, 300, 1),
                    rows(
                            Suite.NET,
                            """
                            rtt64
                              faster p50 SHM TCP 3
                            rtt64-busy8
                              faster requests SHM TCP 1
                            rtt64-beside
                              faster p50 SHM TCP 0.5
                            rtt64-paced
                              timesAsLong cpu-trip SHM TCP 2
                            oneway64
                              faster writes SHM TCP 3
                            stream64k
                              faster bytes SHM TCP 1.5
                            connect
                              timesAsLong p50 SHM TCP 5
                            alloc
                              atMost alloc SHM 0.05
                            """),
                    "alloc");

    /** Netty is still being compiled when it is measured, which costs more where there is more. */
    private static final Gate NIO =
            new Gate(
                    new Times(2, 1500, 4000, 100, 300, 1),
                    rows(
                            Suite.NIO,
                            """
                            netty-64x256
                              faster requests SHM TCP 0.3
                            selector-rtt64
                              faster p50 SHM TCP 1
                            selector-stream64k
                              faster bytes SHM TCP 1
                            selector-alloc
                              moreByAtMost alloc SHM TCP 0.05
                            """),
                    "selector-alloc");

    /**
     * Fresh JVMs: how soon the first second's and the interpreter's costs are made up for. That
     * depends on how fast a machine compiles: the bars are about half of the figures of a slow one,
     * or less.
     */
    private static final Gate COLD =
            new Gate(
                    Times.COLD.withRounds(1),
                    rows(
                            Suite.COLD,
                            """
                            cold64
                              faster by1000 DEFAULTS TCP 0.3; faster by4000 DEFAULTS TCP 0.5
                              faster by250 AT_CONNECT TCP 0.1; faster by1000 AT_CONNECT TCP 0.15
                              faster by4000 AT_CONNECT TCP 1
                            cold64-pinned
                              faster by1000 DEFAULTS_PINNED TCP_PINNED 0.3
                              faster by4000 AT_CONNECT_PINNED TCP_PINNED 0.5
                            cold64-8s
                              faster by8000 DEFAULTS TCP 4; faster by8000 AT_CONNECT TCP 4
                            cold64-interpreted
                              timesAsLong p50 SHM_INTERPRETED TCP_INTERPRETED 3
                            crowd64
                              faster requests DEFAULTS TCP 0.5
                            connects
                              faster by4000 DEFAULTS TCP 0.7
                            fresh64
                              neverAbove p50 DEFAULTS 20000
                            old64-pinned
                              faster p50 DEFAULTS_PINNED TCP_PINNED 1.5
                            program
                              moreByAtMost connect AT_CONNECT TCP 60
                              moreByAtMost wall DEFAULTS TCP 250; moreByAtMost exit DEFAULTS TCP 50
                            program-channel
                              moreByAtMost connect DEFAULTS TCP 80
                            server
                              moreByAtMost listen DEFAULTS TCP 100
                            server-channel
                              moreByAtMost listen DEFAULTS TCP 100
                            """),
                    "none of them");

    private static final int ATTEMPTS = 3;
    private static final int REST_SECONDS = 60;
    private static final double AT_REST = 0.7;

    static Gate of(Suite suite) {
        return suite.equals(Suite.COLD) ? COLD : suite.equals(Suite.NIO) ? NIO : NET;
    }

    /** Measures rows. */
    interface Measuring {
        Results run(List<Row> rows) throws IOException, InterruptedException;
    }

    /** The rows that may be judged now; waits a while for the machine to become idle. */
    List<Row> judgeable() throws InterruptedException {
        for (int n = 0; n < REST_SECONDS; n++) {
            if (Machine.idle() >= AT_REST) {
                return rows;
            }
        }
        return rows.stream().filter(row -> row.id().equals(loadProof)).toList();
    }

    /** Rows of the tables with other bars, between their first configuration and theirs only. */
    private static List<Row> rows(Suite suite, String text) {
        return Row.table(text, (id, bars) -> row(suite.row(id), bars));
    }

    private static Row row(Row full, List<Bar> bars) {
        Set<Config> configs = EnumSet.of(full.configs().getFirst());
        for (Bar bar : bars) {
            configs.add(bar.subject());
            configs.add(bar.base());
        }
        List<Config> judged = full.configs().stream().filter(configs::contains).toList();
        return new Row(full.id(), full.title(), full.work(), full.metric(), judged, 1, bars);
    }

    /** The rows that missed their bar every time they were measured; empty = pass. */
    static List<Row> failing(List<Row> judged, Measuring measuring)
            throws IOException, InterruptedException {
        List<Row> rows = judged;
        for (int attempt = 0; attempt < ATTEMPTS && !rows.isEmpty(); attempt++) {
            Results results = measuring.run(rows);
            rows = rows.stream().filter(row -> misses(row, results)).toList();
        }
        return rows;
    }

    private static boolean misses(Row row, Results results) {
        return row.bars().stream().anyMatch(bar -> !results.verdict(row, bar).passed());
    }
}
