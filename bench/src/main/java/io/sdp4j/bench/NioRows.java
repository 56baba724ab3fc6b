package io.sdp4j.bench;

import static io.sdp4j.bench.Config.KERNEL_PINNED;
import static io.sdp4j.bench.Config.PARKED;
import static io.sdp4j.bench.Config.RULE_KERNEL;
import static io.sdp4j.bench.Config.SHM;
import static io.sdp4j.bench.Config.TCP;
import static io.sdp4j.bench.Config.TCP_PINNED;

import java.util.List;

/** Rows of {@code bench nio}; the commands are {@link io.sdp4j.bench.nio.NioClient}'s. */
final class NioRows {
    /** Idle channels of each kind in the crowded selector. */
    private static final int IDLE = 1_000;

    static final List<Row> ALL =
            List.of(
                    new Row(
                            "netty-rtt64",
                            "Netty NIO, 1 connection: 64 B round trip",
                            "netty 64 1 1",
                            "p50",
                            List.of(TCP, SHM),
                            2,
                            List.of(
                                    Bar.faster("p50", SHM, TCP, 1.5),
                                    Bar.faster("p99", SHM, TCP, 1))),
                    new Row(
                            "netty-64x256",
                            "Netty NIO, 64 connections, 16 requests of 256 B under way on each",
                            "netty 256 64 16",
                            "requests",
                            List.of(TCP, SHM),
                            2,
                            List.of(Bar.faster("requests", SHM, TCP, 1.5))),
                    new Row(
                            "channel-rtt64",
                            "blocking channel: 64 B round trip",
                            "channel-echo 64 1",
                            "p50",
                            List.of(TCP, SHM),
                            2,
                            List.of(
                                    Bar.faster("p50", SHM, TCP, 10),
                                    Bar.faster("p99", SHM, TCP, 1))),
                    new Row(
                            "selector-rtt64",
                            "selector loop: 64 B round trip",
                            "selector-echo 64 1",
                            "p50",
                            List.of(TCP, SHM),
                            2,
                            List.of(Bar.faster("p50", SHM, TCP, 1.5))),
                    new Row(
                            "selector-rtt64-parked",
                            "selector loop, spinning off: 64 B round trip",
                            "selector-echo 64 1",
                            "p50",
                            List.of(TCP, PARKED),
                            2,
                            List.of(Bar.faster("p50", PARKED, TCP, 1))),
                    new Row(
                            "selector-stream64k",
                            "selector loop: stream, 64 KiB direct buffers",
                            "selector-sink 65536",
                            "bytes",
                            List.of(TCP, SHM),
                            2,
                            List.of(
                                    Bar.faster("bytes", SHM, TCP, 2),
                                    Bar.faster("cpu", SHM, TCP, 1))),
                    new Row(
                            "file-stream64k",
                            "selector loop: a file by transferTo, pieces of 64 KiB",
                            "file-sink 65536",
                            "bytes",
                            List.of(TCP, SHM),
                            2,
                            List.of(Bar.faster("bytes", SHM, TCP, 1))),
                    new Row(
                            "file-stream1m",
                            "selector loop: a file by transferTo, pieces of 1 MiB",
                            "file-sink 1048576",
                            "bytes",
                            List.of(TCP, SHM),
                            2,
                            List.of(Bar.faster("bytes", SHM, TCP, 1))),
                    new Row(
                            "crowd",
                            "selector with 1,000 idle offloaded and 1,000 idle kernel channels:"
                                    + " 64 B round trip of one busy channel",
                            "crowd " + IDLE,
                            "p50",
                            List.of(TCP, SHM),
                            1,
                            List.of(Bar.atMost("crowd", SHM, 1.1))),
                    new Row(
                            "kernel-netty",
                            "agent on, no rule matches: Netty NIO, 64 connections, one core",
                            "netty 256 64 16",
                            "requests",
                            List.of(TCP_PINNED, KERNEL_PINNED),
                            Row.MANY_SLICES,
                            2,
                            List.of(Bar.fasterInTurn("requests", KERNEL_PINNED, TCP_PINNED, 0.97))),
                    new Row(
                            "kernel-http",
                            "agent on, no rule matches: HttpServer and HttpClient, one core",
                            "http 4",
                            "requests",
                            List.of(TCP_PINNED, KERNEL_PINNED),
                            Row.MANY_SLICES,
                            2,
                            List.of(Bar.fasterInTurn("requests", KERNEL_PINNED, TCP_PINNED, 0.97))),
                    new Row(
                            "selector-alloc",
                            "selector loop: heap bytes per read, write or select",
                            "selector-echo 64 1",
                            "alloc",
                            List.of(TCP, SHM, RULE_KERNEL),
                            1,
                            List.of(
                                    Bar.moreByAtMost("alloc", SHM, TCP, Row.ZERO_BYTES),
                                    Bar.moreByAtMost("alloc", RULE_KERNEL, TCP, Row.ZERO_BYTES))),
                    new Row(
                            "channel-alloc",
                            "blocking channel: heap bytes per read or write",
                            "channel-echo 64 1",
                            "alloc",
                            List.of(TCP, SHM, RULE_KERNEL),
                            1,
                            List.of(
                                    Bar.moreByAtMost("alloc", SHM, TCP, Row.ZERO_BYTES),
                                    Bar.moreByAtMost("alloc", RULE_KERNEL, TCP, Row.ZERO_BYTES))));

    private NioRows() {}
}
