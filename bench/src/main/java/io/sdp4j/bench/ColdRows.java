package io.sdp4j.bench;

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

    /** 16777216 bytes of memory are 16 MiB. */
    static final List<Row> ALL =
            Row.table(
                    """
                    cold64 | TCP AT_CONNECT DEFAULTS | 1 | trips | by4000 | \
                        64 B round trips made since connect was called
                      faster by250 DEFAULTS TCP 0.95; faster by500 DEFAULTS TCP 0.95
                      faster by1000 DEFAULTS TCP 0.95; faster by2000 DEFAULTS TCP 0.95
                      faster by4000 DEFAULTS TCP 4; faster by250 AT_CONNECT TCP 0.5
                      faster by500 AT_CONNECT TCP 0.9; faster by1000 AT_CONNECT TCP 1.2
                      faster by2000 AT_CONNECT TCP 2; faster by4000 AT_CONNECT TCP 4
                      faster p50 AT_CONNECT TCP 1; faster p99 AT_CONNECT TCP 1
                      faster p999 AT_CONNECT TCP 1; moreByAtMost memory AT_CONNECT TCP 16777216
                    cold64-8s | TCP AT_CONNECT DEFAULTS | 1 | double-trips | by8000 | \
                        the same, by eight seconds
                      faster by8000 DEFAULTS TCP 4; faster by8000 AT_CONNECT TCP 4
                    cold64-pinned | TCP_PINNED AT_CONNECT_PINNED DEFAULTS_PINNED | 1 | \
                        trips | by4000 | \
                        64 B round trips made since connect was called, both JVMs on one core
                      faster by250 DEFAULTS_PINNED TCP_PINNED 0.95
                      faster by500 DEFAULTS_PINNED TCP_PINNED 0.95
                      faster by1000 DEFAULTS_PINNED TCP_PINNED 0.95
                      faster by2000 DEFAULTS_PINNED TCP_PINNED 0.95
                      faster by4000 DEFAULTS_PINNED TCP_PINNED 1.5
                      faster by250 AT_CONNECT_PINNED TCP_PINNED 0.3
                      faster by500 AT_CONNECT_PINNED TCP_PINNED 0.5
                      faster by1000 AT_CONNECT_PINNED TCP_PINNED 0.8
                      faster by2000 AT_CONNECT_PINNED TCP_PINNED 1.1
                      faster by4000 AT_CONNECT_PINNED TCP_PINNED 1.5
                      faster p50 AT_CONNECT_PINNED TCP_PINNED 1
                      faster p99 AT_CONNECT_PINNED TCP_PINNED 1
                    cold64-interpreted | TCP_INTERPRETED SHM_INTERPRETED | 1 | trips | p50 | \
                        64 B round trip, both JVMs without compilers
                      timesAsLong p50 SHM_INTERPRETED TCP_INTERPRETED 1.5
                    crowd64 | TCP DEFAULTS | 2 | crowd 64 | requests | \
                        64 connections with a thread each: 64 B round trips, first seconds
                      faster requests DEFAULTS TCP 0.8
                    connects | TCP DEFAULTS | 1 | connects | by4000 | \
                        connections made one after the other, 10 B on each, in selectors
                      faster by1000 DEFAULTS TCP 0.9; faster by2000 DEFAULTS TCP 0.97
                      faster by4000 DEFAULTS TCP 0.97
                    fresh64 | TCP DEFAULTS | 4 | late-trips | p50 | \
                        64 B round trip of fresh pairs, in the fourth second after connect
                      neverAbove p50 DEFAULTS 2000
                    tail64 | TCP DEFAULTS | 1 | long-trips | p99 | \
                        64 B round trip of fresh pairs, for 30 s after the first five
                      neverAbove p99 DEFAULTS 5000; below p999 DEFAULTS p50 TCP
                    old64-pinned | TCP_PINNED DEFAULTS_PINNED | 1 | old-trips | p50 | \
                        64 B round trip in the second minute, both JVMs on one core
                      faster p50 DEFAULTS_PINNED TCP_PINNED 2
                    program | TCP AT_CONNECT DEFAULTS | 3 | program | wall | \
                        a program that connects, makes 20 round trips and exits
                      moreByAtMost wall DEFAULTS TCP 60; moreByAtMost cpu-time DEFAULTS TCP 60
                      moreByAtMost connect DEFAULTS TCP 5; moreByAtMost exit DEFAULTS TCP 5
                      moreByAtMost wall AT_CONNECT TCP 100
                      moreByAtMost cpu-time AT_CONNECT TCP 120
                      moreByAtMost connect AT_CONNECT TCP 40; moreByAtMost exit AT_CONNECT TCP 5
                    program-kernel | TCP RULE_KERNEL | 3 | program | wall | \
                        the same, a rule sends it to the kernel
                      moreByAtMost wall RULE_KERNEL TCP 60
                      moreByAtMost cpu-time RULE_KERNEL TCP 80
                      moreByAtMost connect RULE_KERNEL TCP 40; moreByAtMost exit RULE_KERNEL TCP 5
                    program-channel | TCP DEFAULTS | 3 | channel-program | wall | \
                        a program that does so with a channel in a selector
                      moreByAtMost wall DEFAULTS TCP 60; moreByAtMost cpu-time DEFAULTS TCP 100
                      moreByAtMost connect DEFAULTS TCP 40; moreByAtMost exit DEFAULTS TCP 5
                    server | TCP DEFAULTS | 3 | server socket | listen | \
                        a server that listens and exits, ServerSocket
                      moreByAtMost listen DEFAULTS TCP 50; moreByAtMost exit DEFAULTS TCP 50
                    server-channel | TCP DEFAULTS | 3 | server channel | listen | \
                        the same, ServerSocketChannel
                      moreByAtMost listen DEFAULTS TCP 50; moreByAtMost exit DEFAULTS TCP 50
                    """);

    private ColdRows() {}
}
