package io.sdp4j.bench;

import static io.sdp4j.bench.Config.AT_CONNECT;
import static io.sdp4j.bench.Config.AT_CONNECT_PINNED;
import static io.sdp4j.bench.Config.DEFAULTS;
import static io.sdp4j.bench.Config.DEFAULTS_PINNED;
import static io.sdp4j.bench.Config.RULE_KERNEL;
import static io.sdp4j.bench.Config.SHM_INTERPRETED;
import static io.sdp4j.bench.Config.TCP;
import static io.sdp4j.bench.Config.TCP_INTERPRETED;
import static io.sdp4j.bench.Config.TCP_PINNED;

import java.util.List;

/** Connections from their first byte on, in JVMs that have compiled nothing yet. */
final class ColdRows {
    /** The word of rows that are whole processes: connect, some round trips, exit. */
    static final String PROGRAM = "program";

    /** The same with a channel. */
    static final String CHANNEL = "channel-program";

    /** The first word of rows that are whole processes: listen, exit. */
    static final String SERVER = "server ";

    /** The word of the row whose server has a selector. */
    static final String CONNECTS = "connects";

    private static final String TRIPS = "trips";
    private static final double MEBIBYTE = 1 << 20;

    static final List<Row> ALL =
            List.of(
                    new Row(
                            "cold64",
                            "64 B round trips made since connect was called",
                            TRIPS,
                            "by4000",
                            List.of(TCP, AT_CONNECT, DEFAULTS),
                            1,
                            List.of(
                                    Bar.faster("by250", DEFAULTS, TCP, 0.95),
                                    Bar.faster("by500", DEFAULTS, TCP, 0.95),
                                    Bar.faster("by1000", DEFAULTS, TCP, 0.95),
                                    Bar.faster("by2000", DEFAULTS, TCP, 0.95),
                                    Bar.faster("by4000", DEFAULTS, TCP, 4),
                                    Bar.faster("by250", AT_CONNECT, TCP, 0.5),
                                    Bar.faster("by500", AT_CONNECT, TCP, 0.9),
                                    Bar.faster("by1000", AT_CONNECT, TCP, 1.2),
                                    Bar.faster("by2000", AT_CONNECT, TCP, 2),
                                    Bar.faster("by4000", AT_CONNECT, TCP, 4),
                                    Bar.faster("p50", AT_CONNECT, TCP, 1),
                                    Bar.faster("p99", AT_CONNECT, TCP, 1),
                                    Bar.faster("p999", AT_CONNECT, TCP, 1),
                                    Bar.moreByAtMost("memory", AT_CONNECT, TCP, 16 * MEBIBYTE))),
                    new Row(
                            "cold64-8s",
                            "the same, by eight seconds",
                            "double-trips",
                            "by8000",
                            List.of(TCP, AT_CONNECT, DEFAULTS),
                            1,
                            List.of(
                                    Bar.faster("by8000", DEFAULTS, TCP, 4),
                                    Bar.faster("by8000", AT_CONNECT, TCP, 4))),
                    new Row(
                            "cold64-pinned",
                            "64 B round trips made since connect was called, both JVMs on one core",
                            TRIPS,
                            "by4000",
                            List.of(TCP_PINNED, AT_CONNECT_PINNED, DEFAULTS_PINNED),
                            1,
                            List.of(
                                    Bar.faster("by250", DEFAULTS_PINNED, TCP_PINNED, 0.95),
                                    Bar.faster("by500", DEFAULTS_PINNED, TCP_PINNED, 0.95),
                                    Bar.faster("by1000", DEFAULTS_PINNED, TCP_PINNED, 0.95),
                                    Bar.faster("by2000", DEFAULTS_PINNED, TCP_PINNED, 0.95),
                                    Bar.faster("by4000", DEFAULTS_PINNED, TCP_PINNED, 1.5),
                                    Bar.faster("by250", AT_CONNECT_PINNED, TCP_PINNED, 0.3),
                                    Bar.faster("by500", AT_CONNECT_PINNED, TCP_PINNED, 0.5),
                                    Bar.faster("by1000", AT_CONNECT_PINNED, TCP_PINNED, 0.8),
                                    Bar.faster("by2000", AT_CONNECT_PINNED, TCP_PINNED, 1.1),
                                    Bar.faster("by4000", AT_CONNECT_PINNED, TCP_PINNED, 1.5),
                                    Bar.faster("p50", AT_CONNECT_PINNED, TCP_PINNED, 1),
                                    Bar.faster("p99", AT_CONNECT_PINNED, TCP_PINNED, 1))),
                    new Row(
                            "cold64-interpreted",
                            "64 B round trip, both JVMs without compilers",
                            TRIPS,
                            "p50",
                            List.of(TCP_INTERPRETED, SHM_INTERPRETED),
                            1,
                            List.of(Bar.timesAsLong("p50", SHM_INTERPRETED, TCP_INTERPRETED, 1.5))),
                    new Row(
                            "crowd64",
                            "64 connections with a thread each: 64 B round trips, first seconds",
                            "crowd 64",
                            "requests",
                            List.of(TCP, DEFAULTS),
                            2,
                            List.of(Bar.faster("requests", DEFAULTS, TCP, 0.8))),
                    new Row(
                            "connects",
                            "connections made one after the other, 10 B on each, in selectors",
                            CONNECTS,
                            "by4000",
                            List.of(TCP, DEFAULTS),
                            1,
                            List.of(
                                    Bar.faster("by1000", DEFAULTS, TCP, 0.9),
                                    Bar.faster("by2000", DEFAULTS, TCP, 0.97),
                                    Bar.faster("by4000", DEFAULTS, TCP, 0.97))),
                    new Row(
                            "fresh64",
                            "64 B round trip of fresh pairs, in the fourth second after connect",
                            "late-trips",
                            "p50",
                            List.of(TCP, DEFAULTS),
                            4,
                            List.of(Bar.neverAbove("p50", DEFAULTS, 2_000))),
                    new Row(
                            "tail64",
                            "64 B round trip of fresh pairs, for 30 s after the first five",
                            "long-trips",
                            "p99",
                            List.of(TCP, DEFAULTS),
                            1,
                            List.of(
                                    Bar.neverAbove("p99", DEFAULTS, 5_000),
                                    Bar.below("p999", DEFAULTS, "p50", TCP))),
                    new Row(
                            "old64-pinned",
                            "64 B round trip in the second minute, both JVMs on one core",
                            "old-trips",
                            "p50",
                            List.of(TCP_PINNED, DEFAULTS_PINNED),
                            1,
                            List.of(Bar.faster("p50", DEFAULTS_PINNED, TCP_PINNED, 2))),
                    new Row(
                            "program",
                            "a program that connects, makes 20 round trips and exits",
                            PROGRAM,
                            "wall",
                            List.of(TCP, AT_CONNECT, DEFAULTS),
                            3,
                            List.of(
                                    Bar.moreByAtMost("wall", DEFAULTS, TCP, 60),
                                    Bar.moreByAtMost("cpu-time", DEFAULTS, TCP, 60),
                                    Bar.moreByAtMost("connect", DEFAULTS, TCP, 5),
                                    Bar.moreByAtMost("exit", DEFAULTS, TCP, 5),
                                    Bar.moreByAtMost("wall", AT_CONNECT, TCP, 100),
                                    Bar.moreByAtMost("cpu-time", AT_CONNECT, TCP, 120),
                                    Bar.moreByAtMost("connect", AT_CONNECT, TCP, 40),
                                    Bar.moreByAtMost("exit", AT_CONNECT, TCP, 5))),
                    new Row(
                            "program-kernel",
                            "the same, a rule sends it to the kernel",
                            PROGRAM,
                            "wall",
                            List.of(TCP, RULE_KERNEL),
                            3,
                            List.of(
                                    Bar.moreByAtMost("wall", RULE_KERNEL, TCP, 60),
                                    Bar.moreByAtMost("cpu-time", RULE_KERNEL, TCP, 80),
                                    Bar.moreByAtMost("connect", RULE_KERNEL, TCP, 40),
                                    Bar.moreByAtMost("exit", RULE_KERNEL, TCP, 5))),
                    new Row(
                            "program-channel",
                            "a program that does so with a channel in a selector",
                            CHANNEL,
                            "wall",
                            List.of(TCP, DEFAULTS),
                            3,
                            List.of(
                                    Bar.moreByAtMost("wall", DEFAULTS, TCP, 60),
                                    Bar.moreByAtMost("cpu-time", DEFAULTS, TCP, 100),
                                    Bar.moreByAtMost("connect", DEFAULTS, TCP, 40),
                                    Bar.moreByAtMost("exit", DEFAULTS, TCP, 5))),
                    server("server", "a server that listens and exits, ServerSocket", "socket"),
                    server("server-channel", "the same, ServerSocketChannel", "channel"));

    private ColdRows() {}

    private static Row server(String id, String title, String kind) {
        return new Row(
                id,
                title,
                SERVER + kind,
                "listen",
                List.of(TCP, DEFAULTS),
                3,
                List.of(
                        Bar.moreByAtMost("listen", DEFAULTS, TCP, 50),
                        Bar.moreByAtMost("exit", DEFAULTS, TCP, 50)));
    }
}
