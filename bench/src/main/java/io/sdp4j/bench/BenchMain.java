package io.sdp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The benchmarks' entry: {@code net} measures between two JVMs what users of the agent see of
 * blocking sockets beside kernel TCP and UNIX-domain sockets, {@code nio} what they see of channels
 * and of what is built on them.
 *
 * <p>Progress goes to standard error, the Markdown table to standard output. Exit codes: 0 every
 * bar reached, 1 one was missed, 2 wrong options, 69 it could not run.
 */
public final class BenchMain {
    /**
     * Load average above which a result needs a warning; the JVM that built this may still count.
     */
    private static final double QUIET_LOAD = 1;

    /** Something needed is missing, as the command line says it. */
    private static final int CANNOT_RUN = 69;

    private BenchMain() {}

    /** Runs what {@code args} say and exits. */
    public static void main(String[] args) throws Exception {
        List<String> rest = new ArrayList<>(Arrays.asList(args));
        if (rest.equals(List.of("--plot"))) {
            System.exit(plot());
        }
        String mode =
                rest.isEmpty() || rest.getFirst().startsWith("-") ? "net" : rest.removeFirst();
        for (Suite suite : Suite.ALL) {
            if (suite.id().equals(mode)) {
                System.exit(run(suite, rest));
            }
        }
        System.err.print(usage());
        System.exit(2);
    }

    private static String usage() {
        return """
        usage: bench [net] [options]     blocking sockets between two JVMs, beside kernel TCP
               bench nio [options]       channels, selectors, Netty and HTTP, likewise
               bench verbs [options]     over an RDMA device, beside librspreload, kernel TCP and
                                         programs that only post and poll (lab/checks/speed)
               bench cold [options]      the first seconds of fresh JVMs, and short programs
               bench apps [options]      other programs in fresh JVMs: rate, latency, CPU time
               bench zcopy [options]     borrowed direct buffers beside copied ones
               bench --plot              draws docs/figures from bench/results

          --rows ID,ID…   only these rows
                            net: %s
                            nio: %s
                            verbs: %s
                            cold: %s
                            apps: %s
                            zcopy: %s
          --rounds N      rounds, each with fresh JVMs (default 5, apps 3)
          --quick         3 short rounds (apps, cold: 2): a look, not a result
          --busy N        apps, cold: N endless loops beside the programs (default 0)
          --gate          a few rows with low bars: fails on a collapse, not on noise
          --json FILE     keep every run there
          --agent JAR     the agent (default agent/target/sdp4j-agent.jar);
                          "none" measures only what needs no agent
          --address A     verbs: an address of this host that an RDMA device serves
                          (default: LAB_ADDR of the environment)
          --bare PATH     verbs: class path of the program that only posts and polls
        """
                .formatted(
                        ids(Suite.NET),
                        ids(Suite.NIO),
                        ids(Suite.VERBS),
                        ids(Suite.COLD),
                        ids(Suite.APPS),
                        ids(Suite.ZCOPY));
    }

    private static String ids(Suite suite) {
        return String.join(", ", suite.rows().stream().map(Row::id).toList());
    }

    private static int plot() {
        Path home = Path.of(System.getProperty("sdp4j.home", "."));
        try {
            Path figures = home.resolve("docs/figures");
            Figures.draw(home.resolve("bench/results"), figures).forEach(System.out::println);
            return 0;
        } catch (IOException failed) {
            System.err.println("cannot draw: " + failed);
            return CANNOT_RUN;
        }
    }

    static int run(Suite suite, List<String> args) throws InterruptedException {
        List<Row> rows = suite.rows();
        Times times = suite.usualTimes();
        int rounds = 0;
        int busy = 0;
        Path json = null;
        boolean gate = false;
        String address = System.getenv("LAB_ADDR");
        String bare = "";
        String agent = System.getProperty("sdp4j.agent.jar", "agent/target/sdp4j-agent.jar");
        try {
            for (int i = 0; i < args.size(); i++) {
                switch (args.get(i)) {
                    case "--rows" ->
                            rows = Stream.of(args.get(++i).split(",", -1)).map(suite::row).toList();
                    case "--rounds" -> rounds = Integer.parseInt(args.get(++i));
                    case "--quick" -> times = suite.isCold() ? times.withRounds(2) : Times.QUICK;
                    case "--busy" -> busy = Integer.parseInt(args.get(++i));
                    case "--gate" -> gate = true;
                    case "--json" -> json = Path.of(args.get(++i));
                    case "--agent" -> agent = args.get(++i);
                    case "--address" -> address = args.get(++i);
                    case "--bare" -> bare = args.get(++i);
                    case "--help" -> {
                        System.out.print(usage());
                        return 0;
                    }
                    default -> throw new IllegalArgumentException("unknown: " + args.get(i));
                }
            }
        } catch (IllegalArgumentException | IndexOutOfBoundsException wrong) {
            System.err.println(wrong.getMessage() + "\n" + usage());
            return 2;
        }
        if (rounds > 0) {
            times = times.withRounds(rounds);
        }
        Path agentJar = agent.equals("none") ? null : Path.of(agent).toAbsolutePath();
        if (agentJar != null && !Files.isReadable(agentJar)) {
            System.err.println(
                    agentJar + " is not there: build it with ./mvnw -pl agent -am package");
            return CANNOT_RUN;
        }
        if (gate && (suite.equals(Suite.APPS) || suite.equals(Suite.ZCOPY))) {
            System.err.println("bench " + suite.id() + " has no gate");
            return 2;
        }
        if (busy < 0 || (busy > 0 && (gate || !suite.isCold()))) {
            System.err.println("--busy is for bench apps and bench cold, without --gate");
            return 2;
        }
        Launch.Rdma rdma = null;
        if (suite.equals(Suite.VERBS)) {
            if (address == null || gate) {
                System.err.println("bench verbs wants --address and has no gate");
                return 2;
            }
            rdma = new Launch.Rdma(address, bare);
        }
        try {
            return gate
                    ? gate(suite, agentJar)
                    : full(suite, rows, times, busy, agentJar, rdma, json);
        } catch (IOException failed) {
            System.err.println("cannot run: " + failed);
            return CANNOT_RUN;
        }
    }

    private static Results measure(
            Suite suite, List<Row> rows, Times times, Path agentJar, Launch.Rdma rdma)
            throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("sdp4j-bench");
        // Ctrl-C: the workers end with their standard input, the files would stay.
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
        try (Bench bench =
                new Bench(
                        new Launch(
                                agentJar,
                                directory,
                                rdma,
                                suite.isCold() ? List.of() : Launch.HEAP_OPTIONS),
                        suite,
                        rows,
                        times,
                        BenchMain::progress)) {
            return bench.run();
        }
    }

    private static int gate(Suite suite, Path agentJar) throws IOException, InterruptedException {
        Gate gate = Gate.of(suite);
        List<Row> judged = gate.judgeable();
        List<Row> failing =
                Gate.failing(
                        judged,
                        rows -> {
                            Results results = measure(suite, rows, gate.times(), agentJar, null);
                            System.out.println();
                            System.out.print(Table.markdown(results));
                            results.failures().forEach(f -> System.out.println("failed: " + f));
                            return results;
                        });
        System.out.println();
        failing.forEach(row -> System.out.println("collapsed: " + row.title()));
        if (judged.size() < gate.rows().size()) {
            System.out.println("The machine is busy: only what load cannot change was judged.");
        }
        System.out.println(failing.isEmpty() ? "Every bar reached." : "Missed every time.");
        return failing.isEmpty() ? 0 : 1;
    }

    private static int full(
            Suite suite,
            List<Row> rows,
            Times times,
            int busy,
            Path agentJar,
            Launch.Rdma rdma,
            Path json)
            throws IOException, InterruptedException {
        if (json != null) {
            ResultFile.make(json);
        }
        Map<String, Object> machine = Machine.describe();
        long start = System.nanoTime();
        Results results;
        try (BusyLoops _ = new BusyLoops(busy)) {
            results = measure(suite, rows, times, agentJar, rdma);
        }
        long seconds = (System.nanoTime() - start) / 1_000_000_000;
        System.out.println();
        System.out.print(
                switch (suite.id()) {
                    case "apps" -> Table.byFigure(results);
                    case "verbs", "zcopy" -> Table.wide(results);
                    default -> Table.markdown(results);
                });
        System.out.println();
        System.out.println(
                times.rounds()
                        + " rounds in "
                        + seconds
                        + " s, "
                        + (suite.isCold() ? "fresh JVMs for each slice" : warmUp(times))
                        + (busy > 0 ? ", endless loops beside them: " + busy : "")
                        + ". "
                        + Machine.sentence(machine)
                        + ".");
        if (!results.states().isEmpty()) {
            System.out.println(results.states());
        }
        if (machine.get("load_at_start") instanceof Double load && load > QUIET_LOAD) {
            System.out.println(
                    "The machine was not idle when this began: believe the ratios only, if those.");
        }
        results.failures().forEach(failure -> System.out.println("failed: " + failure));
        long missed = 0;
        for (Row row : results.rows()) {
            missed +=
                    row.bars().stream().filter(bar -> !results.verdict(row, bar).passed()).count();
        }
        System.out.println(missed == 0 ? "Every bar reached." : missed + " bars missed.");
        if (json != null) {
            Map<String, Object> findings = new LinkedHashMap<>();
            findings.put("rows", results.rowsForJson());
            findings.put("set_aside", results.asideForJson());
            findings.put("reported", results.reportedForJson());
            findings.put("failures", results.failures());
            ResultFile.write(json, machine, times, busy, agentJar, seconds, findings);
        }
        return missed == 0 ? 0 : 1;
    }

    private static String warmUp(Times times) {
        return """
                each with fresh JVMs; medians (lowest … highest); at least %s ms of warm-up before \
                the first measurement of a kind, and up to %s more until the compilers are idle; \
                %s ms measured, %s where many neighbours are compared"""
                .formatted(
                        times.firstWarmMs(),
                        times.furtherWarmMs(),
                        times.measureMs(),
                        times.forNeighbours().measureMs());
    }

    private static void progress(String line) {
        System.err.println(line);
    }

    private static void delete(Path directory) {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            System.err.println("left behind: " + directory + ": " + e);
        }
    }
}
