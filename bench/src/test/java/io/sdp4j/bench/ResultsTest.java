package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.bench.Results.Run;
import io.sdp4j.bench.Results.Verdict;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * Goal: no verdict is better than its numbers. Method: numbers made up, verdicts worked by hand.
 */
class ResultsTest {
    private final Results results = new Results();

    private static Row row(Bar... bars) {
        return new Row(
                "r", "row", "echo 64 1", "p50", List.of(Config.TCP, Config.SHM), 1, List.of(bars));
    }

    private void runs(Row row, Config config, String metric, double... values) {
        for (int i = 0; i < values.length; i++) {
            results.add(row, config, new Run(i + 1, Map.of(metric, values[i])));
        }
    }

    private void reportOffloaded(long offloaded, long fallback) {
        Map<String, Long> counts = results.reported(Config.SHM);
        counts.put("connections.offloaded.shm", offloaded);
        counts.put("connections.kernel.fallback", fallback);
    }

    @Test
    void speedUpIsTheRatioOfMediansWithTheRangeOfRounds() {
        Bar bar = Bar.parse("faster p50 SHM TCP 5");
        Row row = row(bar);
        runs(row, Config.TCP, "p50", 10, 12, 20);
        runs(row, Config.SHM, "p50", 2, 2, 4);
        reportOffloaded(3, 0);
        Verdict verdict = results.verdict(row, bar);
        assertEquals(6.0, verdict.value());
        assertEquals(5.0, verdict.lowest());
        assertEquals(6.0, verdict.highest());
        assertTrue(verdict.passed());
        assertFalse(results.verdict(row, Bar.parse("faster p50 SHM TCP 6.1")).passed());
    }

    @Test
    void anotherNumberOfTheBaseIsComparedInEachRound() {
        Bar bar = Bar.parse("below p999 SHM p50 TCP");
        Row row = row(bar);
        for (int round = 1; round <= 3; round++) {
            results.add(row, Config.TCP, new Run(round, Map.of("p50", 100.0, "p999", 1000.0)));
            results.add(row, Config.SHM, new Run(round, Map.of("p50", 1.0, "p999", 20.0 * round)));
        }
        reportOffloaded(3, 0);
        Verdict verdict = results.verdict(row, bar);
        assertEquals(2.5, verdict.value());
        assertEquals(100.0 / 60, verdict.lowest());
        assertEquals(5.0, verdict.highest());
    }

    /** Each slice against the one that was measured next to it, whatever the round. */
    @Test
    void slicesInTurnAreComparedOneByOne() {
        Bar bar = Bar.parse("fasterInTurn bytes SHM TCP 0.97");
        Row row = row(bar);
        double[] tcp = {10, 100, 10, 100, 50};
        double[] shm = {10, 90, 11, 101, 40};
        for (int i = 0; i < tcp.length; i++) {
            results.add(row, Config.TCP, new Run(1 + i / 2, Map.of("bytes", tcp[i])));
            results.add(row, Config.SHM, new Run(1 + i / 2, Map.of("bytes", shm[i])));
        }
        reportOffloaded(3, 0);
        Verdict verdict = results.verdict(row, bar);
        assertEquals(1.0, verdict.value());
        assertEquals(0.8, verdict.lowest(), "of a round");
        assertTrue(verdict.passed());
        assertFalse(results.verdict(row, Bar.parse("fasterInTurn bytes SHM TCP 1.01")).passed());
    }

    @Test
    void ratesCountTheOtherWayRound() {
        Bar bar = Bar.parse("faster bytes SHM TCP 3");
        Row row = row(bar);
        runs(row, Config.TCP, "bytes", 1e9);
        runs(row, Config.SHM, "bytes", 4e9);
        reportOffloaded(1, 0);
        assertEquals(4.0, results.verdict(row, bar).value());
    }

    @Test
    void slicesOfARoundMakeOneValue() {
        Bar rate = Bar.parse("faster bytes SHM TCP 2");
        Bar time = Bar.parse("faster p50 SHM TCP 2");
        Row row = row(rate, time);
        for (int round = 1; round <= 3; round++) {
            for (double value : new double[] {1, 1, 4}) {
                results.add(row, Config.TCP, new Run(round, Map.of("bytes", value, "p50", value)));
                results.add(row, Config.SHM, new Run(round, Map.of("bytes", 4.0, "p50", 4.0)));
            }
        }
        reportOffloaded(3, 0);
        assertEquals(2.0, results.verdict(row, rate).value(), "the mean");
        assertEquals(0.25, results.verdict(row, time).value(), "the median");
    }

    @Test
    void neverSlowerLooksAtTheWorstRound() {
        Bar bar = Bar.parse("neverSlower p50 SHM TCP 1");
        Row row = row(bar);
        runs(row, Config.TCP, "p50", 10, 10, 10);
        runs(row, Config.SHM, "p50", 1, 11, 1);
        reportOffloaded(3, 0);
        Verdict verdict = results.verdict(row, bar);
        assertEquals(10 / 11.0, verdict.value());
        assertFalse(verdict.passed());
    }

    @Test
    void spreadTakesEveryRun() {
        missedByThreeRuns(Bar.parse("spread p50 SHM 2"), 2.05);
    }

    @Test
    void neverAboveTakesTheWorstRun() {
        missedByThreeRuns(Bar.parse("neverAbove p50 SHM 4"), 4.1);
    }

    private void missedByThreeRuns(Bar bar, double value) {
        Row row = row(bar);
        runs(row, Config.SHM, "p50", 3, 2, 4.1);
        reportOffloaded(3, 0);
        assertEquals(value, results.verdict(row, bar).value());
        assertFalse(results.verdict(row, bar).passed());
    }

    @Test
    void connectionsOnTheWrongStackSpoilTheVerdict() {
        Bar bar = Bar.parse("faster p50 SHM TCP 1");
        Row row = row(bar);
        runs(row, Config.TCP, "p50", 10);
        runs(row, Config.SHM, "p50", 1);
        assertNotNull(results.verdict(row, bar).objection(), "nothing was reported as offloaded");
        reportOffloaded(5, 1);
        assertEquals(
                "1 connections were not offloaded, 5 were", results.verdict(row, bar).objection());
        reportOffloaded(5, 0);
        assertNull(results.verdict(row, bar).objection());
        results.reported(Config.SHM).put("connections.kernel.policy", 3L);
        assertNull(results.verdict(row, bar).objection(), "a rule wanted those");
    }

    @Test
    void nothingMeasuredOrAFailureIsMissed() {
        Bar bar = Bar.parse("faster p50 SHM TCP 0.1");
        Row row = row(bar);
        runs(row, Config.TCP, "p50", 10);
        assertFalse(results.verdict(row, bar).passed());
        runs(row, Config.SHM, "p50", 10);
        reportOffloaded(1, 0);
        assertTrue(results.verdict(row, bar).passed());
        results.addFailure(row, Config.SHM, "hung");
        assertFalse(results.verdict(row, bar).passed());
        assertTrue(Table.markdown(results).contains("**missed**"));
    }

    @Test
    void aColumnThatWasNotMeasuredIsLeftOut() {
        Bar bar = Bar.parse("faster p50 SHM TCP 1");
        Row row = row(bar);
        runs(row, Config.TCP, "p50", 10);
        runs(row, Config.SHM, "p50", 1);
        assertFalse(Table.markdown(results).contains("AF_UNIX"));
        List<Config> three = List.of(Config.TCP, Config.UNIX, Config.SHM);
        Row unix = new Row("u", "row", "echo 64 1", "p50", three, 1, List.of(bar));
        runs(unix, Config.UNIX, "p50", 5);
        assertTrue(Table.markdown(results).contains("| AF_UNIX |"));
    }

    @Test
    void reportsAreReadFromTheAgentsJson() {
        String report =
                """
                {
                  "connections": {
                    "offloaded": {"shm": 7},
                    "kernel": {"policy": 1, "fallback": 2},
                    "refused": 0
                  },
                  "accepted": {"offloaded": {}, "kernel": 3},
                  "bytes": {"read": 5, "written": 6},
                  "reasons": {"SHM": 7}
                }
                """;
        Map<String, Long> counts = new TreeMap<>();
        Reports.add(report, counts);
        Reports.add(report.replaceAll("\\s", ""), counts);
        Map<String, Long> expected = new HashMap<>();
        expected.put("connections.offloaded.shm", 14L);
        expected.put("connections.kernel.policy", 2L);
        expected.put("connections.kernel.fallback", 4L);
        expected.put("accepted.kernel", 6L);
        assertEquals(expected, counts);
        Reports.add("not json", counts);
        Reports.add("{}", counts);
        assertEquals(2L, counts.get("unreadable_reports"));
    }

    @Test
    void aFileKeepsSixDigits() throws IOException {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("counts", List.of(1, 1234567890123L, 2.0));
        map.put("measured", List.of(2.5, 1234567.8, 0.000123456789));
        map.put("none", Double.NaN);
        assertEquals(
                """
                {
                  "counts" : [ 1, 1234567890123, 2 ],
                  "measured" : [ 2.5, 1234570, 0.000123457 ],
                  "none" : null
                }
                """,
                ResultFile.text(map));
    }
}
