package io.sdp4j.bench;

import static io.sdp4j.bench.Config.AT_CONNECT;
import static io.sdp4j.bench.Config.DEFAULTS;
import static io.sdp4j.bench.Config.DEFAULTS_PINNED;
import static io.sdp4j.bench.Config.SHM;
import static io.sdp4j.bench.Config.SHM_INTERPRETED;
import static io.sdp4j.bench.Config.TCP;
import static io.sdp4j.bench.Config.TCP_INTERPRETED;
import static io.sdp4j.bench.Config.TCP_PINNED;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A short run that fails when performance has collapsed and not when the machine was busy: few
 * rows, bars far below what is normal, and a row that misses one is measured again, twice at most.
 * On a machine that does not become idle only figures that load cannot change are judged. For
 * builds; the results proper come from a full run.
 */
final class Gate {
    private static final Gate NET =
            new Gate(
                    new Times(3, 1500, 4000, 100, 300, 1),
                    List.of(
                            row(Suite.NET, "rtt64", Bar.faster("p50", SHM, TCP, 3)),
                            row(Suite.NET, "rtt64-paced", Bar.timesAsLong("cpu-trip", SHM, TCP, 2)),
                            row(Suite.NET, "oneway64", Bar.faster("writes", SHM, TCP, 3)),
                            row(Suite.NET, "stream64k", Bar.faster("bytes", SHM, TCP, 1.5)),
                            row(Suite.NET, "connect", Bar.timesAsLong("p50", SHM, TCP, 5)),
                            row(Suite.NET, "alloc", Bar.atMost("alloc", SHM, Row.ZERO_BYTES))),
                    "alloc");

    /** Netty is still being compiled when it is measured, which costs more where there is more. */
    private static final Gate NIO =
            new Gate(
                    new Times(2, 1500, 4000, 100, 300, 1),
                    List.of(
                            row(Suite.NIO, "netty-64x256", Bar.faster("requests", SHM, TCP, 0.3)),
                            row(Suite.NIO, "selector-rtt64", Bar.faster("p50", SHM, TCP, 1)),
                            row(Suite.NIO, "selector-stream64k", Bar.faster("bytes", SHM, TCP, 1)),
                            row(
                                    Suite.NIO,
                                    "selector-alloc",
                                    Bar.moreByAtMost("alloc", SHM, TCP, Row.ZERO_BYTES))),
                    "selector-alloc");

    /**
     * Fresh JVMs: how soon the first second's and the interpreter's costs are made up for. That
     * depends on how fast a machine compiles: the bars are about half of the figures of a slow one,
     * or less.
     */
    private static final Gate COLD =
            new Gate(
                    Times.COLD.withRounds(1),
                    List.of(
                            row(
                                    Suite.COLD,
                                    "cold64",
                                    Bar.faster("by1000", DEFAULTS, TCP, 0.3),
                                    Bar.faster("by4000", DEFAULTS, TCP, 0.5),
                                    Bar.faster("by250", AT_CONNECT, TCP, 0.1),
                                    Bar.faster("by1000", AT_CONNECT, TCP, 0.15),
                                    Bar.faster("by4000", AT_CONNECT, TCP, 1)),
                            row(
                                    Suite.COLD,
                                    "cold64-8s",
                                    Bar.faster("by8000", DEFAULTS, TCP, 4),
                                    Bar.faster("by8000", AT_CONNECT, TCP, 4)),
                            row(
                                    Suite.COLD,
                                    "cold64-interpreted",
                                    Bar.timesAsLong("p50", SHM_INTERPRETED, TCP_INTERPRETED, 3)),
                            row(Suite.COLD, "crowd64", Bar.faster("requests", DEFAULTS, TCP, 0.5)),
                            row(Suite.COLD, "connects", Bar.faster("by4000", DEFAULTS, TCP, 0.7)),
                            row(Suite.COLD, "fresh64", Bar.neverAbove("p50", DEFAULTS, 20_000)),
                            row(
                                    Suite.COLD,
                                    "old64-pinned",
                                    Bar.faster("p50", DEFAULTS_PINNED, TCP_PINNED, 1.5)),
                            row(
                                    Suite.COLD,
                                    "program",
                                    Bar.moreByAtMost("connect", AT_CONNECT, TCP, 60),
                                    Bar.moreByAtMost("wall", DEFAULTS, TCP, 250),
                                    Bar.moreByAtMost("exit", DEFAULTS, TCP, 50)),
                            row(
                                    Suite.COLD,
                                    "program-channel",
                                    Bar.moreByAtMost("connect", DEFAULTS, TCP, 80)),
                            row(
                                    Suite.COLD,
                                    "server",
                                    Bar.moreByAtMost("listen", DEFAULTS, TCP, 100)),
                            row(
                                    Suite.COLD,
                                    "server-channel",
                                    Bar.moreByAtMost("listen", DEFAULTS, TCP, 100))),
                    "none of them");

    private static final int ATTEMPTS = 3;
    private static final int REST_SECONDS = 60;
    private static final double AT_REST = 0.7;

    private final Times times;
    private final List<Row> rows;

    /** The row whose numbers do not depend on what else the machine does. */
    private final String loadProof;

    private Gate(Times times, List<Row> rows, String loadProof) {
        this.times = times;
        this.rows = rows;
        this.loadProof = loadProof;
    }

    static Gate of(Suite suite) {
        return suite.equals(Suite.COLD) ? COLD : suite.equals(Suite.NIO) ? NIO : NET;
    }

    Times times() {
        return times;
    }

    List<Row> rows() {
        return rows;
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

    /** A row of the table with other bars, between its first configuration and theirs only. */
    private static Row row(Suite suite, String id, Bar... bars) {
        Row full = suite.row(id);
        Set<Config> configs = EnumSet.of(full.configs().getFirst());
        for (Bar bar : bars) {
            configs.add(bar.subject());
            configs.add(bar.base());
        }
        List<Config> judged = full.configs().stream().filter(configs::contains).toList();
        return new Row(id, full.title(), full.work(), full.metric(), judged, 1, List.of(bars));
    }

    /** The rows that missed their bar every time they were measured; empty = pass. */
    static List<Row> failing(List<Row> judged, Measuring measuring)
            throws IOException, InterruptedException {
        List<Row> rows = judged;
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
