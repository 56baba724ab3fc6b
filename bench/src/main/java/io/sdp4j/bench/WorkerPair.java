package io.sdp4j.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A serving and a measuring JVM of one configuration. For one thread. */
final class WorkerPair implements AutoCloseable {
    private static final int START_TIMEOUT_MS = 60_000;

    /** After a warm-up: the compilers need a processor for what they were asked for meanwhile. */
    private static final int REST_MS = 400;

    private static final int HARDLY_MEASURED_MS = 10;

    private final Config config;
    private final Path serverReport;
    private final Path clientReport;
    private final Worker server;
    private final Worker client;
    private final double serverStartMs;
    private final Set<String> warmedUp = new HashSet<>();

    /** Starts both and waits until they are ready; {@code number} tells pairs of one run apart. */
    WorkerPair(Launch launch, Suite suite, Config config, int number)
            throws IOException, InterruptedException {
        this(launch, suite, config, number, suite.listens());
    }

    /** Likewise; the server is told to listen with {@code listens}. */
    WorkerPair(Launch launch, Suite suite, Config config, int number, String listens)
            throws IOException, InterruptedException {
        this.config = config;
        String name = config.id + "-" + number;
        serverReport = launch.file(name + "-server.json");
        clientReport = launch.file(name + "-client.json");
        String[] how =
                switch (config) {
                    case UNIX -> new String[] {"unix", launch.file(name + ".sock").toString()};
                    case RSOCKETS -> new String[] {"tcp"}; // it knows no channels
                    default -> new String[] {listens};
                };
        List<String> serverCommand =
                launch.command(config, 1, serverReport, suite.serverProgram(), how);
        long asked = System.nanoTime();
        server = new Worker(config.title + " server", serverCommand);
        Worker started = null;
        try {
            String target = server.expect("READY", START_TIMEOUT_MS);
            serverStartMs = (System.nanoTime() - asked) / 1e6;
            started =
                    new Worker(
                            config.title + " client",
                            launch.command(config, 0, clientReport, suite.clientProgram(), target));
            started.expect("READY", START_TIMEOUT_MS);
        } catch (IOException | InterruptedException failed) {
            server.kill();
            if (started != null) {
                started.kill();
            }
            throw failed;
        }
        client = started;
    }

    /**
     * The long warm-up, if it is the first of this kind in these JVMs. Where that is several, each
     * is a measurement of its own whose result is dropped, so that what happens once to each
     * connection is warm, too, and is followed by a rest. It then goes on until the compilers of
     * both JVMs have hardly worked for a second.
     */
    void warmUp(Row row, Times usual) throws IOException, InterruptedException {
        if (!warmedUp.add(row.kind())) {
            return;
        }
        Times times = row.times(usual);
        for (int n = 0; n < row.warmUps(); n++) {
            String _ = run(row, times.firstWarmMs(), HARDLY_MEASURED_MS);
            if (row.warmUps() > 1) {
                Thread.sleep(REST_MS);
            }
        }
        Compilers.warmUp(
                times.furtherWarmMs(),
                forMs -> run(row, forMs, HARDLY_MEASURED_MS),
                client,
                server);
    }

    /** Runs one measurement, after {@link #warmUp}. */
    Map<String, Double> measure(Row row, Times usual) throws IOException, InterruptedException {
        Times times = row.times(usual);
        String answer = run(row, times.warmMs(), times.measureMs());
        Map<String, Double> metrics = new HashMap<>();
        for (String pair : answer.split(" ", -1)) {
            int equals = pair.indexOf('=');
            metrics.put(pair.substring(0, equals), Double.valueOf(pair.substring(equals + 1)));
        }
        return metrics;
    }

    private String run(Row row, int warmMs, int measureMs)
            throws IOException, InterruptedException {
        long timeoutMs = 60_000 + 10L * (warmMs + measureMs);
        return client.ask(row.work() + " " + warmMs + " " + measureMs, timeoutMs);
    }

    /** Milliseconds from asking for the server's JVM until it said that it listens. */
    double serverStartMs() {
        return serverStartMs;
    }

    /** Ends both and adds what their agents reported; {@code counts} maps names to connections. */
    void close(Map<String, Long> counts) throws IOException {
        close();
        if (config.agent == Config.Agent.NONE) {
            return;
        }
        for (Path report : new Path[] {serverReport, clientReport}) {
            Reports.addFile(report, counts);
        }
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }

    /** Ends both at once, for a pair that failed. */
    void kill() {
        client.kill();
        server.kill();
    }
}
