package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the programs of other people run and are counted. Method: each for a moment, on TCP. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
abstract class AppsContract {
    private static final int BYTES = 100_000;

    @TempDir Path directory;

    /** Whether a row's program is tested here. */
    abstract boolean has(Row row);

    @Test
    void eachProgramGivesEachFigure() throws Exception {
        Set<String> programs = new HashSet<>();
        List<Row> rows =
                Suite.APPS.rows().stream()
                        .filter(row -> programs.add(Suite.APPS.listens(row)))
                        .filter(this::has)
                        .map(
                                row ->
                                        new Row(
                                                row.id(),
                                                row.title(),
                                                Suite.APPS.listens(row) + " " + BYTES + " 2",
                                                row.metric(),
                                                row.configs(),
                                                1,
                                                row.bars()))
                        .toList();
        Times brief = new Times(1, 0, 0, 0, 600, 1);
        try (Bench bench =
                new Bench(
                        new Launch(null, directory, null, List.of()),
                        Suite.APPS,
                        rows,
                        brief,
                        l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            for (Row row : rows) {
                Map<String, Double> figures = results.runs(row, Config.TCP).getFirst().metrics();
                for (Bar bar : row.bars()) {
                    double least = bar.metric().startsWith("cpu") ? 0 : Double.MIN_VALUE;
                    assertTrue(figures.get(bar.metric()) >= least, row.id() + figures);
                }
                assertTrue(figures.get("p99-last") >= figures.get("p50-last"), row.id());
            }
            String table = Table.byFigure(results);
            assertTrue(table.contains(" ms) | – | nothing measured | start ≤ +100"), table);
        }
        for (ProcessHandle child : ProcessHandle.current().children().toList()) {
            child.onExit().get(15, TimeUnit.SECONDS);
        }
    }
}
