package io.sdp4j.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Goal: the benchmark itself works. Method: tiny runs of what needs no agent. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BenchTest {
    private static final Times TINY = new Times(1, 50, 0, 20, 50, 2);

    @TempDir Path directory;

    @Test
    void everyKindOfWorkGivesItsMetric() throws Exception {
        List<Row> rows =
                Row.ALL.stream()
                        .filter(
                                row ->
                                        List.of(
                                                        "rtt64",
                                                        "rtt64-paced",
                                                        "idle100",
                                                        "oneway64",
                                                        "connect",
                                                        "startup")
                                                .contains(row.id()))
                        .toList();
        List<String> progress = new ArrayList<>();
        try (Bench bench = bench(Suite.NET, rows, progress::add)) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            for (Row row : rows) {
                for (Config config : List.of(Config.TCP, Config.UNIX)) {
                    if (row.configs().contains(config)) {
                        double[] values = results.sorted(row, config, row.metric());
                        assertTrue(values.length > 0, row.id() + config);
                        // processor time is counted in steps of 10 ms
                        assertTrue(values[0] > 0 || row.id().equals("rtt64-paced"), row.id());
                    }
                }
                assertEquals(0, results.runs(row, Config.SHM).size(), "no agent, no such run");
            }
            assertTrue(Table.markdown(results).contains("nothing measured"));
        }
        assertEquals(6, progress.size(), progress::toString);
        noChildLeft();
    }

    private Bench bench(Suite suite, List<Row> rows, Consumer<String> progress) throws IOException {
        return new Bench(launch(), suite, rows, TINY, progress);
    }

    private Launch launch() throws IOException {
        return new Launch(null, directory, null, Launch.HEAP_OPTIONS);
    }

    /** Also Netty and HTTP; the crowd with few idle channels. */
    @Test
    void everyKindOfWorkOnChannelsGivesItsMetric() throws Exception {
        List<Row> rows = new ArrayList<>();
        Set<String> kinds = new HashSet<>();
        for (Row row : Suite.NIO.rows()) {
            if (kinds.add(row.kind())) {
                rows.add(withFew(row));
            }
        }
        try (Bench bench = bench(Suite.NIO, rows, l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            for (Row row : rows) {
                double[] values = results.sorted(row, row.configs().getFirst(), row.metric());
                assertTrue(values.length > 0 && values[0] > 0, row.id());
            }
        }
        noChildLeft();
    }

    @Test
    void asynchronousChannelsGiveTheirMetrics() throws Exception {
        try (Bench bench = bench(Suite.ZCOPY, Suite.ZCOPY.rows(), l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            for (Row row : Suite.ZCOPY.rows()) {
                assertTrue(results.sorted(row, Config.ASYNC_TCP, "bytes")[0] > 0, row.id());
            }
            String table = Table.wide(results);
            assertTrue(table.contains("copying against kernel TCP: nothing measured"), table);
        }
        noChildLeft();
    }

    /** Over the kernel's TCP, as there is no device; the processor time is the machine's. */
    @Test
    void everyKindOfWorkOfVerbsGivesItsMetric() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (Row row : Suite.VERBS.rows()) {
            rows.add(
                    new Row(
                            row.id(),
                            row.title(),
                            row.work(),
                            row.metric(),
                            List.of(Config.TCP),
                            1,
                            List.of(Bar.parse("faster " + row.metric() + " VERBS TCP 1"))));
        }
        Launch launch =
                new Launch(null, directory, new Launch.Rdma("127.0.0.1", ""), Launch.HEAP_OPTIONS);
        assertTrue(!launch.can(Config.BARE) && !launch.can(Config.VERBS));
        try (Bench bench = new Bench(launch, Suite.VERBS, rows, TINY, l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            for (Row row : rows) {
                double[] values = results.sorted(row, Config.TCP, row.metric());
                assertTrue(values.length > 0 && values[0] >= 0, row.id());
            }
            String table = Table.wide(results);
            assertTrue(table.contains("sdp4j against kernel TCP: nothing measured"), table);
        }
        noChildLeft();
    }

    /** Goal: fresh JVMs for each slice, counts that grow with time, and whole processes. */
    @Test
    void coldRowsCountFromTheFirstByteOn() throws Exception {
        Row trips = Suite.COLD.row("cold64");
        Row connects = Suite.COLD.row("connects");
        Row program = Suite.COLD.row("program");
        Row socket = Suite.COLD.row("server");
        Row channel = Suite.COLD.row("server-channel");
        Times brief = new Times(1, 0, 0, 0, 600, 1);
        try (Bench bench =
                new Bench(
                        launch(),
                        Suite.COLD,
                        List.of(trips, connects, program, socket, channel),
                        brief,
                        l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            Map<String, Double> counted = results.runs(trips, Config.TCP).getFirst().metrics();
            assertTrue(counted.get("by500") > counted.get("by250"), counted::toString);
            assertTrue(counted.get("by250") > 0 && counted.get("by1000") == 0, counted::toString);
            assertTrue(counted.get("p50") > 0 && counted.get("memory") > 0, counted::toString);
            counted = results.runs(connects, Config.TCP).getFirst().metrics();
            assertTrue(counted.get("by500") > counted.get("by250"), counted::toString);
            Map<String, Double> whole = results.runs(program, Config.TCP).getFirst().metrics();
            assertTrue(whole.get("wall") > whole.get("connect"), whole::toString);
            for (Row server : List.of(socket, channel)) {
                whole = results.runs(server, Config.TCP).getFirst().metrics();
                assertTrue(whole.get("wall") > whole.get("listen"), whole::toString);
            }
        }
        noChildLeft();
    }

    /** Goal: a place that cannot be written to is told before anything is measured. */
    @Test
    void aResultFileThatCannotBeMadeCostsNoTime() throws Exception {
        String wrong = directory.toString();
        List<String> args =
                List.of("--rows", "rtt64", "--quick", "--agent", "none", "--json", wrong);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        PrintStream usual = System.err;
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
        try {
            assertEquals(69, BenchMain.run(Suite.NET, args));
        } finally {
            System.setErr(usual);
        }
        String line = told.toString(StandardCharsets.UTF_8);
        assertTrue(line.startsWith("cannot run: ") && line.contains(wrong), line);
    }

    private static Row withFew(Row row) {
        String work = row.kind().equals("crowd") ? "crowd 10" : row.work();
        return new Row(row.id(), row.title(), work, row.metric(), row.configs(), 1, row.bars());
    }

    /** Goal: slices are shared by as many pairs of JVMs as the row wants, all alive together. */
    @Test
    void slicesAreSharedByPairs() throws Exception {
        Row one = new Row("one", "", "echo 64 1", "p50", List.of(Config.TCP), 2, 2, List.of());
        Row next = new Row("next", "", "echo 64 1", "p50", List.of(Config.TCP), 1, List.of());
        List<Long> alive = new ArrayList<>();
        try (Bench bench =
                bench(
                        Suite.NET,
                        List.of(one, next),
                        l -> alive.add(ProcessHandle.current().children().count()))) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            assertEquals(2, results.runs(one, Config.TCP).size());
        }
        assertEquals(List.of(0L, 4L), alive);
        noChildLeft();
    }

    @Test
    void fourPairsRunTogether() throws Exception {
        Row busy = Suite.NET.row("rtt64-busy4");
        try (Bench bench = bench(Suite.NET, List.of(busy), l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            assertTrue(results.sorted(busy, Config.TCP, "p50")[0] > 0);
        }
        noChildLeft();
    }

    /** Goal: each slice says what state the machine was in. */
    @Test
    void slicesAreMeasuredAtRest() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
        Times patient = new Times(1, 50, 0, 20, 50, 2, 1);
        Row row = new Row("one", "", "echo 64 1", "p50", List.of(Config.TCP), 2, List.of());
        try (Bench bench = new Bench(launch(), Suite.NET, List.of(row), patient, l -> {})) {
            Results results = bench.run();
            assertEquals(List.of(), results.failures());
            double[] values = results.sorted(row, Config.TCP, Results.HAND_OVER);
            assertEquals(2, values.length);
            assertTrue(values[0] > 0);
            assertTrue(results.states().contains("of 2 slices"), results.states());
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
