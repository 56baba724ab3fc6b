package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the benchmark itself works. Method: tiny runs of what needs no agent. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchTest {
    private static final Times TINY = new Times(1, 50, 20, 50, 2);

    @TempDir Path directory;

    @Test
    void everyKindOfWorkGivesItsMetric() throws Exception {
        List<Row> rows =
                Row.ALL.stream()
                        .filter(
                                row ->
                                        List.of("rtt64", "oneway64", "connect", "startup")
                                                .contains(row.id()))
                        .toList();
        List<String> progress = new ArrayList<>();
        try (Bench bench = new Bench(new Launch(null, directory), rows, TINY, progress::add)) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            for (Row row : rows) {
                for (Config config : List.of(Config.TCP, Config.UNIX)) {
                    if (row.configs().contains(config)) {
                        double[] values = results.sorted(row, config, row.metric());
                        assertTrue(values.length > 0 && values[0] > 0, row.id() + config);
                    }
                }
                assertEquals(0, results.runs(row, Config.SHM).size(), "no agent, no such run");
            }
            assertTrue(Table.markdown(results).contains("nothing measured"));
        }
        assertEquals(4, progress.size(), progress::toString);
        noChildLeft();
    }

    @Test
    void fourPairsRunTogether() throws Exception {
        Row busy = Row.ALL.stream().filter(row -> row.id().equals("rtt64-busy4")).findFirst().get();
        try (Bench bench = new Bench(new Launch(null, directory), List.of(busy), TINY, l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            assertTrue(results.sorted(busy, Config.TCP, "p50")[0] > 0);
        }
        noChildLeft();
    }

    @Test
    void aWorkerThatDiesOrHangsIsNamed() throws Exception {
        Worker dies = new Worker("the short one", List.of("/bin/sh", "-c", "echo why >&2; exit 3"));
        IOException died = assertThrows(IOException.class, () -> dies.expect("READY", 1_000));
        assertTrue(died.getMessage().startsWith("the short one di"), died.getMessage());
        dies.close();
        Worker hangs = new Worker("the long one", List.of("/bin/sh", "-c", "exec sleep 100"));
        IOException hung = assertThrows(IOException.class, () -> hangs.expect("READY", 50));
        assertEquals("the long one did not answer within 50 ms", hung.getMessage());
        hangs.kill();
        noChildLeft();
    }

    private static void noChildLeft() throws Exception {
        for (ProcessHandle child : ProcessHandle.current().children().toList()) {
            child.onExit().get(15, TimeUnit.SECONDS);
        }
    }
}
