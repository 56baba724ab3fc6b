package io.sdp4j.bench;

import java.util.List;

/** Rows of {@code bench nio}; the commands are {@link io.sdp4j.bench.nio.NioClient}'s. */
final class NioRows {
    static final List<Row> ALL =
            Row.table(
                    """
                    netty-rtt64 | TCP SHM | 2 | netty 64 1 1 | p50 | \
                        Netty NIO, 1 connection: 64 B round trip
                      faster p50 SHM TCP 1.5; faster p99 SHM TCP 1
                    netty-64x256 | TCP SHM | 2 | netty 256 64 16 | requests | \
                        Netty NIO, 64 connections, 16 requests of 256 B under way on each
                      faster requests SHM TCP 1.5
                    channel-rtt64 | TCP SHM | 2 | channel-echo 64 1 | p50 | \
                        blocking channel: 64 B round trip
                      faster p50 SHM TCP 10; faster p99 SHM TCP 1
                    selector-rtt64 | TCP SHM | 2 | selector-echo 64 1 | p50 | \
                        selector loop: 64 B round trip
                      faster p50 SHM TCP 1.5
                    selector-rtt64-parked | TCP PARKED | 2 | selector-echo 64 1 | p50 | \
                        selector loop, spinning off: 64 B round trip
                      faster p50 PARKED TCP 1
                    selector-stream64k | TCP SHM | 2 | selector-sink 65536 | bytes | \
                        selector loop: stream, 64 KiB direct buffers
                      faster bytes SHM TCP 2; faster cpu SHM TCP 1
                    file-stream64k | TCP SHM | 2 | file-sink 65536 | bytes | \
                        selector loop: a file by transferTo, pieces of 64 KiB
                      faster bytes SHM TCP 1
                    file-stream1m | TCP SHM | 2 | file-sink 1048576 | bytes | \
                        selector loop: a file by transferTo, pieces of 1 MiB
                      faster bytes SHM TCP 1
                    crowd | TCP SHM | 1 | crowd 1000 | p50 | \
                        selector with 1,000 idle offloaded and 1,000 idle kernel channels: 64 B \
                        round trip of one busy channel
                      atMost crowd SHM 1.1
                    kernel-netty | TCP_PINNED KERNEL_PINNED | 24x2 | netty 256 64 16 | requests | \
                        agent on, no rule matches: Netty NIO, 64 connections, one core
                      fasterInTurn requests KERNEL_PINNED TCP_PINNED 0.97
                    kernel-http | TCP_PINNED KERNEL_PINNED | 24x2 | http 4 | requests | \
                        agent on, no rule matches: HttpServer and HttpClient, one core
                      fasterInTurn requests KERNEL_PINNED TCP_PINNED 0.97
                    selector-alloc | TCP SHM RULE_KERNEL | 1 | selector-echo 64 1 | alloc | \
                        selector loop: heap bytes per read, write or select
                      moreByAtMost alloc SHM TCP 0.05; moreByAtMost alloc RULE_KERNEL TCP 0.05
                    channel-alloc | TCP SHM RULE_KERNEL | 1 | channel-echo 64 1 | alloc | \
                        blocking channel: heap bytes per read or write
                      moreByAtMost alloc SHM TCP 0.05; moreByAtMost alloc RULE_KERNEL TCP 0.05
                    """);

    private NioRows() {}
}
