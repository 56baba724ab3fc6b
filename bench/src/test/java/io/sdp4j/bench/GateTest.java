package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.bench.Results.Run;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Goal: a collapse fails, noise is measured again. Method: numbers made up for every attempt. */
class GateTest {
    private final List<List<String>> asked = new ArrayList<>();

    /** As TCP itself in the rows named, far better in the others. */
    private Results results(List<Row> rows, List<String> bad) {
        asked.add(rows.stream().map(Row::id).toList());
        Results results = new Results();
        for (Row row : rows) {
            for (Config config : row.configs()) {
                double value = config == Config.SHM && !bad.contains(row.id()) ? better(row) : 100;
                results.add(row, config, new Run(1, Map.of(row.metric(), value)));
            }
        }
        results.reported(Config.SHM).put("connections.offloaded.shm", 1L);
        results.reported(Config.SHM).put("connections.kernel.fallback", 0L);
        return results;
    }

    private static double better(Row row) {
        return switch (row.metric()) {
            case "alloc" -> 0;
            case "bytes", "writes", "requests" -> 1000;
            default -> 1;
        };
    }

    /** With so many trips for every one of TCP's, and the same times otherwise. */
    private static Results cold(List<Row> rows, double trips, double listenMs) {
        Results results = new Results();
        for (Row row : rows) {
            for (Config config : row.configs()) {
                boolean tcp = config == Config.TCP || config == Config.TCP_PINNED;
                double made = tcp ? 1 : trips;
                results.add(
                        row,
                        config,
                        new Run(
                                1,
                                Map.of(
                                        "by250",
                                        made,
                                        "by1000",
                                        made,
                                        "by4000",
                                        made,
                                        "by8000",
                                        made,
                                        "requests",
                                        made,
                                        "p50",
                                        1 / made,
                                        "wall",
                                        60.0,
                                        "connect",
                                        1.0,
                                        "exit",
                                        1.0,
                                        "listen",
                                        config == Config.TCP ? 1.0 : listenMs)));
            }
        }
        for (Config config : List.of(Config.AT_CONNECT, Config.DEFAULTS, Config.SHM_INTERPRETED)) {
            results.reported(config).put("connections.offloaded.shm", 1L);
            results.reported(config).put("connections.kernel.fallback", 0L);
        }
        return results;
    }

    @Test
    void judgesTheFirstSeconds() throws Exception {
        List<Row> rows = Gate.of(Suite.COLD).rows();
        assertEquals(List.of(), Gate.failing(rows, judged -> cold(judged, 4, 90)));
        List<Row> failing = Gate.failing(rows, judged -> cold(judged, 1, 90));
        assertEquals(List.of("cold64-8s", "old64-pinned"), failing.stream().map(Row::id).toList());
        failing = Gate.failing(rows, judged -> cold(judged, 0.45, 90));
        assertEquals(
                List.of(
                        "cold64",
                        "cold64-pinned",
                        "cold64-8s",
                        "crowd64",
                        "connects",
                        "old64-pinned"),
                failing.stream().map(Row::id).toList());
        failing = Gate.failing(rows, judged -> cold(judged, 4, 150));
        assertEquals(List.of("server", "server-channel"), failing.stream().map(Row::id).toList());
    }

    @Test
    void passesAtOnceWhenAllIsWell() throws Exception {
        assertEquals(
                List.of(),
                Gate.failing(Gate.of(Suite.NET).rows(), rows -> results(rows, List.of())));
        assertEquals(1, asked.size());
    }

    @Test
    void measuresAgainWhatMissed() throws Exception {
        List<Row> failing =
                Gate.failing(
                        Gate.of(Suite.NET).rows(),
                        rows -> results(rows, asked.isEmpty() ? List.of("stream64k") : List.of()));
        assertEquals(List.of(), failing);
        assertEquals(List.of("stream64k"), asked.get(1));
    }

    @Test
    void failsOnACollapse() throws Exception {
        List<Row> failing =
                Gate.failing(
                        Gate.of(Suite.NET).rows(),
                        rows -> results(rows, List.of("rtt64", "alloc")));
        assertEquals(List.of("rtt64", "alloc"), failing.stream().map(Row::id).toList());
        assertEquals(3, asked.size());
    }
}
