package io.sdp4j.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.Stream;

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

    /**
     * Every row, in the table's order. 0.05 bytes of heap for a call are less than one object in a
     * thousand calls: the JVM's work beside the calls, not in them. Two configurations that may
     * differ by a few percent only are compared in 24 slices. Processor time is counted in steps of
     * 10 ms, some of which happen to fall into a slice of idle connections.
     */
    static final List<Row> ALL =
            table(
                    """
                    rtt64 | TCP UNIX SHM | 2 | echo 64 1 | p50 | 64 B round trip, defaults
                      faster p50 SHM TCP 10; faster p99 SHM TCP 1; spread p50 SHM 2
                    rtt64-pinned | TCP_PINNED SHM_PINNED | 1 | echo 64 1 | p50 | \
                        64 B round trip, both JVMs on one core
                      faster p50 SHM_PINNED TCP_PINNED 2
                    rtt64-parked | TCP UNIX PARKED | 3 | echo 64 1 | p50 | \
                        64 B round trip, spinning off
                      faster p50 PARKED TCP 1.5
                    rtt64-busy4 | TCP SHM | 3 | echo 64 4 | p50 | 64 B round trip, 4 busy pairs
                      neverSlower p50 SHM TCP 1; faster p99 SHM TCP 1
                    rtt64-busy2 | TCP SHM | 2 | echo 64 2 | requests | \
                        64 B round trips on 2 connections with a thread each
                      faster requests SHM TCP 1.5; timesAsLong cpu-trip SHM TCP 1
                    rtt64-busy8 | TCP SHM | 2 | echo 64 8 | requests | \
                        64 B round trips on 8 connections with a thread each
                      faster requests SHM TCP 1.5; timesAsLong cpu-trip SHM TCP 1
                    rtt64-busy64 | TCP SHM | 2 | echo 64 64 | requests | \
                        64 B round trips on 64 connections with a thread each
                      faster requests SHM TCP 1.5; timesAsLong cpu-trip SHM TCP 1
                    rtt64-busy256 | TCP SHM | 2 | echo 64 256 | requests | \
                        64 B round trips on 256 connections with a thread each
                      faster requests SHM TCP 1.5; timesAsLong cpu-trip SHM TCP 1
                    rtt64-paced | TCP SHM | 1 | paced 64 | cpu-trip | \
                        64 B round trip, 100 a second: processor time of both ends for each
                      timesAsLong cpu-trip SHM TCP 1.1
                    idle100 | TCP SHM | 1 | idle 100 | switches | \
                        100 idle connections: threads that leave a processor, both JVMs
                      moreByAtMost switches SHM TCP 2; moreByAtMost cpu-idle SHM TCP 1000000
                    idle1000 | TCP SHM | 1 | idle 1000 | switches | \
                        1000 idle connections: threads that leave a processor, both JVMs
                      moreByAtMost switches SHM TCP 2; moreByAtMost cpu-idle SHM TCP 1000000
                    rtt64-beside | TCP UNIX SHM | 3 | echo-beside 64 | p50 | \
                        64 B round trip beside an endless loop for each processor
                      faster p50 SHM TCP 1; faster p99 SHM TCP 1
                    rtt4k | TCP UNIX SHM | 1 | echo 4096 1 | p50 | 4 KiB round trip
                      faster p50 SHM TCP 5
                    rtt64k | TCP UNIX SHM | 1 | echo 65536 1 | p50 | 64 KiB round trip
                      faster p50 SHM TCP 2.5
                    oneway64 | TCP UNIX SHM | 1 | sink 64 | writes | one-way 64 B writes
                      faster writes SHM TCP 10
                    oneway1k | TCP UNIX SHM | 1 | sink 1024 | writes | one-way 1 KiB writes
                      faster writes SHM TCP 8
                    stream64k | TCP UNIX SHM | 3 | sink 65536 | bytes | stream, 64 KiB writes
                      faster bytes SHM TCP 3; faster cpu SHM TCP 1; atMost alloc SHM 0.05
                    stream1m | TCP UNIX SHM | 1 | sink 1048576 | bytes | stream, 1 MiB writes
                      faster bytes SHM TCP 2.5; faster cpu SHM TCP 1
                    connect | TCP SHM | 1 | connect | p50 | connect + 1 byte + close, offloaded
                      timesAsLong p50 SHM TCP 2
                    connect-kernel | TCP RULE_KERNEL | 3 | connect | p50 | \
                        connect + 1 byte + close, rule says kernel
                      timesAsLong p50 RULE_KERNEL TCP 1.05
                    kernel-rtt | TCP_PINNED KERNEL_PINNED | 24 | echo 64 1 | p50 | \
                        agent on, nothing to offload: 64 B round trip, one core
                      fasterInTurn p50 KERNEL_PINNED TCP_PINNED 0.97
                    kernel-stream | TCP_PINNED KERNEL_PINNED | 24 | sink-bounded 65536 | bytes | \
                        agent on, nothing to offload: stream, 64 KiB writes, one core
                      fasterInTurn bytes KERNEL_PINNED TCP_PINNED 0.97
                    startup | TCP SHM | 3 | | wall | JVM start-up, a program without sockets
                      moreByAtMost wall SHM TCP 150
                    alloc | TCP SHM RULE_KERNEL | 1 | echo 64 1 | alloc | \
                        heap bytes per read or write call
                      atMost alloc SHM 0.05; atMost alloc RULE_KERNEL 0.05
                    direct-alloc | TCP SHM | 1 | channel-sink 1048576 | alloc | \
                        blocking channel: heap bytes per 1 MiB direct buffer, both ends
                      atMost alloc SHM 0.05
                    """);

    /**
     * Reads rows: {@code id | configurations | slices, or slices x pairs | work | metric | title},
     * and below it, indented, the bars.
     */
    static List<Row> table(String text) {
        return table(text, Row::of);
    }

    /**
     * Reads rows of another kind.
     *
     * @param row makes one of its first line and its bars
     */
    static List<Row> table(String text, BiFunction<String, List<Bar>, Row> row) {
        List<Row> rows = new ArrayList<>();
        for (String lines : text.strip().replaceAll(" +", " ").split("\n(?! )", -1)) {
            String[] bars = lines.split("\n |; ", -1);
            rows.add(row.apply(bars[0], Stream.of(bars).skip(1).map(Bar::parse).toList()));
        }
        return List.copyOf(rows);
    }

    private static Row of(String line, List<Bar> bars) {
        String[] cells = line.split(" ?\\| ?", 6);
        String[] slices = cells[2].split("x", -1);
        return new Row(
                cells[0],
                cells[5],
                cells[3],
                cells[4],
                Stream.of(cells[1].split(" ", -1)).map(Config::valueOf).toList(),
                Integer.parseInt(slices[0]),
                slices.length == 1 ? 1 : Integer.parseInt(slices[1]),
                bars);
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
