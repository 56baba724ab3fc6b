package io.sdp4j.bench;

import static io.sdp4j.bench.Config.BARE;
import static io.sdp4j.bench.Config.BARE_TOLD;
import static io.sdp4j.bench.Config.RSOCKETS;
import static io.sdp4j.bench.Config.TCP;
import static io.sdp4j.bench.Config.VERBS;
import static io.sdp4j.bench.Config.VERBS_LENDING;

import java.util.List;

/**
 * Rows of {@code bench verbs}, over an RDMA device. Software devices spend processor time on every
 * packet: only ratios within one run mean something.
 */
final class VerbsRows {
    /**
     * soft-iWARP carries its packets over the kernel's TCP, as the interface's other users do; so
     * there, and only there, it is fair to compare with it.
     */
    private static final boolean OVER_TCP = "siw".equals(System.getenv("LAB_FABRIC"));

    static final List<Row> ALL =
            List.of(
                    new Row(
                            "verbs-rtt64",
                            "blocking socket: 64 B round trip",
                            "echo 64 1",
                            "p50",
                            List.of(TCP, RSOCKETS, VERBS),
                            2,
                            List.of(Bar.faster("p50", VERBS, RSOCKETS, 1.2))),
                    new Row(
                            "verbs-stream64k",
                            "blocking socket: stream, 64 KiB writes",
                            "sink 65536",
                            "bytes",
                            List.of(TCP, RSOCKETS, BARE, VERBS),
                            2,
                            streamBars()),
                    new Row(
                            "verbs-lend1m",
                            "blocking channel: stream, 1 MiB direct buffers",
                            "channel-sink 1048576",
                            "bytes",
                            List.of(BARE, BARE_TOLD, VERBS, VERBS_LENDING),
                            2,
                            List.of(
                                    Bar.faster("bytes", VERBS_LENDING, VERBS, 1),
                                    Bar.faster("bytes", VERBS_LENDING, BARE, 0.8),
                                    Bar.faster("cpu", VERBS_LENDING, VERBS, 1))),
                    new Row(
                            "verbs-connect",
                            "blocking socket: connect",
                            "connect-only",
                            "p50",
                            List.of(TCP, BARE, VERBS),
                            2,
                            List.of(Bar.timesAsLong("p50", VERBS, BARE, 1.5))),
                    new Row(
                            "verbs-alloc",
                            "blocking socket: heap bytes per 64 KiB write, both ends",
                            "sink 65536",
                            "alloc",
                            List.of(VERBS),
                            1,
                            List.of(Bar.atMost("alloc", VERBS, Row.ZERO_BYTES))),
                    new Row(
                            "verbs-lend-alloc",
                            "blocking channel: heap bytes per 1 MiB direct buffer, both ends",
                            "channel-sink 1048576",
                            "alloc",
                            List.of(VERBS_LENDING),
                            1,
                            List.of(Bar.atMost("alloc", VERBS_LENDING, Row.ZERO_BYTES))));

    private VerbsRows() {}

    private static List<Bar> streamBars() {
        Bar rsockets = Bar.faster("bytes", VERBS, RSOCKETS, 3);
        Bar bare = Bar.faster("bytes", VERBS, BARE, 0.8);
        return OVER_TCP
                ? List.of(rsockets, bare, Bar.faster("bytes", VERBS, TCP, 0.8))
                : List.of(rsockets, bare);
    }
}
