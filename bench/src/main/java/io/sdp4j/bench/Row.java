package io.sdp4j.bench;

import static io.sdp4j.bench.Config.KERNEL_PINNED;
import static io.sdp4j.bench.Config.PARKED;
import static io.sdp4j.bench.Config.RULE_KERNEL;
import static io.sdp4j.bench.Config.SHM;
import static io.sdp4j.bench.Config.SHM_PINNED;
import static io.sdp4j.bench.Config.TCP;
import static io.sdp4j.bench.Config.TCP_PINNED;
import static io.sdp4j.bench.Config.UNIX;

import java.util.List;

/**
 * One line of the table: the measurement, its configurations, and its bars.
 *
 * @param id the name for {@code --rows}
 * @param title the name for people
 * @param work the command to the measuring JVM without its times; empty for JVM start-up
 * @param metric the number the table shows
 * @param configs measured in turn; the first is what the others are compared with
 * @param slices how often per round each is measured, alternating
 * @param pairs JVM pairs of each configuration that share the slices of a round
 * @param bars what must come out
 */
record Row(
        String id,
        String title,
        String work,
        String metric,
        List<Config> configs,
        int slices,
        int pairs,
        List<Bar> bars) {
    /** As most rows: one pair of JVMs a round. */
    Row(
            String id,
            String title,
            String work,
            String metric,
            List<Config> configs,
            int slices,
            List<Bar> bars) {
        this(id, title, work, metric, configs, slices, 1, bars);
    }

    /** Less than one object in a thousand calls: the JVM's work beside the calls, not in them. */
    static final double ZERO_BYTES = 0.05;

    /** Slices of a round where neighbours shall differ by a few percents at most. */
    static final int MANY_SLICES = 24;

    /** Every row, in the table's order. */
    static final List<Row> ALL =
            List.of(
                    new Row(
                            "rtt64",
                            "64 B round trip, defaults",
                            "echo 64 1",
                            "p50",
                            List.of(TCP, UNIX, SHM),
                            2,
                            List.of(
                                    Bar.faster("p50", SHM, TCP, 10),
                                    Bar.faster("p99", SHM, TCP, 1),
                                    Bar.spread("p50", SHM, 2))),
                    new Row(
                            "rtt64-pinned",
                            "64 B round trip, both JVMs on one core",
                            "echo 64 1",
                            "p50",
                            List.of(TCP_PINNED, SHM_PINNED),
                            1,
                            List.of(Bar.faster("p50", SHM_PINNED, TCP_PINNED, 2))),
                    new Row(
                            "rtt64-parked",
                            "64 B round trip, spinning off",
                            "echo 64 1",
                            "p50",
                            List.of(TCP, UNIX, PARKED),
                            3,
                            List.of(Bar.faster("p50", PARKED, TCP, 1.5))),
                    new Row(
                            "rtt64-busy4",
                            "64 B round trip, 4 busy pairs",
                            "echo 64 4",
                            "p50",
                            List.of(TCP, SHM),
                            3,
                            List.of(
                                    Bar.neverSlower("p50", SHM, TCP, 1),
                                    Bar.faster("p99", SHM, TCP, 1))),
                    busy(2),
                    busy(8),
                    busy(64),
                    busy(256),
                    new Row(
                            "rtt64-paced",
                            "64 B round trip, 100 a second: processor time of both ends for each",
                            "paced 64",
                            "cpu-trip",
                            List.of(TCP, SHM),
                            1,
                            List.of(Bar.timesAsLong("cpu-trip", SHM, TCP, 1.1))),
                    idle(100),
                    idle(1000),
                    new Row(
                            "rtt64-beside",
                            "64 B round trip beside an endless loop for each processor",
                            "echo-beside 64",
                            "p50",
                            List.of(TCP, UNIX, SHM),
                            3,
                            List.of(
                                    Bar.faster("p50", SHM, TCP, 1),
                                    Bar.faster("p99", SHM, TCP, 1))),
                    new Row(
                            "rtt4k",
                            "4 KiB round trip",
                            "echo 4096 1",
                            "p50",
                            List.of(TCP, UNIX, SHM),
                            1,
                            List.of(Bar.faster("p50", SHM, TCP, 5))),
                    new Row(
                            "rtt64k",
                            "64 KiB round trip",
                            "echo 65536 1",
                            "p50",
                            List.of(TCP, UNIX, SHM),
                            1,
                            List.of(Bar.faster("p50", SHM, TCP, 2.5))),
                    new Row(
                            "oneway64",
                            "one-way 64 B writes",
                            "sink 64",
                            "writes",
                            List.of(TCP, UNIX, SHM),
                            1,
                            List.of(Bar.faster("writes", SHM, TCP, 10))),
                    new Row(
                            "oneway1k",
                            "one-way 1 KiB writes",
                            "sink 1024",
                            "writes",
                            List.of(TCP, UNIX, SHM),
                            1,
                            List.of(Bar.faster("writes", SHM, TCP, 8))),
                    new Row(
                            "stream64k",
                            "stream, 64 KiB writes",
                            "sink 65536",
                            "bytes",
                            List.of(TCP, UNIX, SHM),
                            3,
                            List.of(
                                    Bar.faster("bytes", SHM, TCP, 3),
                                    Bar.faster("cpu", SHM, TCP, 1),
                                    Bar.atMost("alloc", SHM, ZERO_BYTES))),
                    new Row(
                            "stream1m",
                            "stream, 1 MiB writes",
                            "sink 1048576",
                            "bytes",
                            List.of(TCP, UNIX, SHM),
                            1,
                            List.of(
                                    Bar.faster("bytes", SHM, TCP, 2.5),
                                    Bar.faster("cpu", SHM, TCP, 1))),
                    new Row(
                            "connect",
                            "connect + 1 byte + close, offloaded",
                            "connect",
                            "p50",
                            List.of(TCP, SHM),
                            1,
                            List.of(Bar.timesAsLong("p50", SHM, TCP, 2))),
                    new Row(
                            "connect-kernel",
                            "connect + 1 byte + close, rule says kernel",
                            "connect",
                            "p50",
                            List.of(TCP, RULE_KERNEL),
                            3,
                            List.of(Bar.timesAsLong("p50", RULE_KERNEL, TCP, 1.05))),
                    new Row(
                            "kernel-rtt",
                            "agent on, nothing to offload: 64 B round trip, one core",
                            "echo 64 1",
                            "p50",
                            List.of(TCP_PINNED, KERNEL_PINNED),
                            Row.MANY_SLICES,
                            List.of(Bar.fasterInTurn("p50", KERNEL_PINNED, TCP_PINNED, 0.97))),
                    new Row(
                            "kernel-stream",
                            "agent on, nothing to offload: stream, 64 KiB writes, one core",
                            "sink-bounded 65536",
                            "bytes",
                            List.of(TCP_PINNED, KERNEL_PINNED),
                            Row.MANY_SLICES,
                            List.of(Bar.fasterInTurn("bytes", KERNEL_PINNED, TCP_PINNED, 0.97))),
                    new Row(
                            "startup",
                            "JVM start-up, a program without sockets",
                            "",
                            "wall",
                            List.of(TCP, SHM),
                            3,
                            List.of(Bar.moreByAtMost("wall", SHM, TCP, 150))),
                    new Row(
                            "alloc",
                            "heap bytes per read or write call",
                            "echo 64 1",
                            "alloc",
                            List.of(TCP, SHM, RULE_KERNEL),
                            1,
                            List.of(
                                    Bar.atMost("alloc", SHM, ZERO_BYTES),
                                    Bar.atMost("alloc", RULE_KERNEL, ZERO_BYTES))),
                    new Row(
                            "direct-alloc",
                            "blocking channel: heap bytes per 1 MiB direct buffer, both ends",
                            "channel-sink 1048576",
                            "alloc",
                            List.of(TCP, SHM),
                            1,
                            List.of(Bar.atMost("alloc", SHM, ZERO_BYTES))));

    private static Row busy(int pairs) {
        return new Row(
                "rtt64-busy" + pairs,
                "64 B round trips on " + pairs + " connections with a thread each",
                "echo 64 " + pairs,
                "requests",
                List.of(TCP, SHM),
                2,
                List.of(
                        Bar.faster("requests", SHM, TCP, 1.5),
                        Bar.timesAsLong("cpu-trip", SHM, TCP, 1)));
    }

    /** Processor time is counted in steps of 10 ms, some of which happen to fall into a slice. */
    private static Row idle(int connections) {
        return new Row(
                "idle" + connections,
                connections + " idle connections: threads that leave a processor, both JVMs",
                "idle " + connections,
                "switches",
                List.of(TCP, SHM),
                1,
                List.of(
                        Bar.moreByAtMost("switches", SHM, TCP, 2),
                        Bar.moreByAtMost("cpu-idle", SHM, TCP, 1e6)));
    }

    boolean isStartup() {
        return work.isEmpty();
    }

    /** How long its slices take. */
    Times times(Times usual) {
        return comparesNeighbours() ? usual.forNeighbours() : usual;
    }

    /** Whether a slice is compared with the one right before or after it. */
    boolean comparesNeighbours() {
        return bars.stream().anyMatch(bar -> bar.kind() == Bar.Kind.IN_TURN);
    }

    private boolean isNetty() {
        return work.startsWith("netty ");
    }

    /**
     * Kind of work; each has an own warm-up in each JVM. With Netty each load is of its own kind,
     * as one connection warms up little of what many use.
     */
    String kind() {
        return isStartup() ? "" : isNetty() ? work : work.split(" ", 2)[0];
    }

    /**
     * How many times its kind is warmed up before it is measured first. Netty, with whatever
     * carries its bytes, gives C2 some seconds of work in each JVM, on the processors that are
     * measured; and what was compiled while the first connections were open is compiled anew when
     * they are closed. Connections over a device are so slow that one warm-up is some thousand,
     * where C2 begins with a method that was called five thousand times.
     */
    int warmUps() {
        boolean connectsByDevice =
                work.startsWith("connect-only") && configs.contains(Config.VERBS);
        return isNetty() ? 3 : connectsByDevice ? 20 : 1;
    }
}
