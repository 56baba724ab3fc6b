package io.sdp4j.bench;

import io.sdp4j.bench.net.Nothing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs rows round by round: each round starts fresh JVM pairs, all of them alive while it lasts,
 * and measures every row's configurations one after the other, so that whatever else the machine
 * does meets them alike. The order turns with the round, and whenever each pair had a slice. For
 * one thread.
 */
final class Bench implements AutoCloseable {
    private static final int REST_STEP_MS = 1000;

    /** Slices that the machine changed in are measured again, so often at most. */
    private static final int ATTEMPTS = 4;

    private final Launch launch;
    private final Suite suite;
    private final List<Row> rows;
    private final Times times;
    private final Consumer<String> progress;
    private final Results results = new Results();

    /** Null where no thread waits for it, and where one processor is all there is. */
    private final QuiescenceGuard rest;

    /** Living pairs of this round, by their numbers within a configuration. */
    private final Map<Config, Map<Integer, WorkerPair>> pairs = new EnumMap<>(Config.class);

    private int started;

    Bench(Launch launch, Suite suite, List<Row> rows, Times times, Consumer<String> progress) {
        this.launch = launch;
        this.suite = suite;
        this.rows = rows;
        this.times = times;
        this.progress = progress;
        rest =
                times.patienceMs() > 0 && Runtime.getRuntime().availableProcessors() > 1
                        ? new QuiescenceGuard(
                                new HandOver()::nanos, REST_STEP_MS, times.patienceMs())
                        : null;
    }

    /** Measures everything; failures of workers are in the results, not thrown. */
    Results run() throws InterruptedException {
        for (int round = 1; round <= times.rounds(); round++) {
            for (Row row : rows) {
                progress.accept("round " + round + "/" + times.rounds() + "  " + row.title());
                for (int slice = 0; slice < Math.min(row.slices(), times.maxSlices()); slice++) {
                    for (Config config : inTurn(row, round + slice / row.pairs())) {
                        measure(row, config, round, slice % row.pairs());
                    }
                }
            }
            endRound();
        }
        if (rest != null) {
            results.waited(rest.waitedMs());
        }
        return results;
    }

    private List<Config> inTurn(Row row, int turn) {
        List<Config> configs = new ArrayList<>(row.configs());
        configs.removeIf(config -> !launch.can(config));
        if (!configs.isEmpty()) {
            Collections.rotate(configs, turn % configs.size());
        }
        return configs;
    }

    private void measure(Row row, Config config, int round, int number)
            throws InterruptedException {
        Map<Integer, WorkerPair> alike = pairs.computeIfAbsent(config, c -> new HashMap<>());
        try {
            Map<String, Double> metrics;
            if (row.isStartup()) {
                metrics = Map.of("wall", startup(config));
            } else if (suite.isCold()) {
                metrics =
                        new ColdPair(launch, suite, config, ++started)
                                .measure(row, times, results.reported(config));
            } else {
                WorkerPair pair = alike.get(number);
                if (pair == null) {
                    pair = new WorkerPair(launch, suite, config, ++started);
                    alike.put(number, pair);
                }
                pair.warmUp(row, times);
                metrics =
                        rest == null || row.comparesNeighbours()
                                ? pair.measure(row, times)
                                : rested(pair, row, config, round);
            }
            results.add(row, config, new Results.Run(round, metrics));
        } catch (IOException failed) {
            progress.accept(row.id() + ", " + config.title + ": " + failed.getMessage());
            results.addFailure(row, config, failed.getMessage());
            WorkerPair broken = alike.remove(number);
            if (broken != null) {
                broken.kill();
            }
        }
    }

    /**
     * A measurement with the machine in one state from its beginning to its end, if it can be. Rows
     * that compare neighbours can do without.
     */
    private Map<String, Double> rested(WorkerPair pair, Row row, Config config, int round)
            throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            double before = rest.await();
            long stolen = Machine.stolenMs();
            Map<String, Double> metrics = pair.measure(row, times);
            stolen = Machine.stolenMs() - stolen;
            double after = rest.read();
            metrics.put(Results.STOLEN, (double) stolen);
            metrics.put(Results.HAND_OVER, Math.max(before, after));
            if (QuiescenceGuard.undisturbed(before, after, stolen) || attempt == ATTEMPTS) {
                return metrics;
            }
            results.setAside(row, config, new Results.Run(round, metrics));
        }
    }

    /** Milliseconds from asking for a JVM to its end. */
    private double startup(Config config) throws IOException, InterruptedException {
        List<String> command = launch.command(config, 0, null, Nothing.class);
        long start = System.nanoTime();
        Worker worker = new Worker(config.title + " start-up", command);
        try {
            worker.expect("READY", 20_000);
            worker.close();
            return (System.nanoTime() - start) / 1e6;
        } finally {
            worker.kill();
        }
    }

    private void endRound() {
        pairs.forEach((config, alike) -> alike.values().forEach(pair -> end(config, pair)));
        pairs.clear();
    }

    private void end(Config config, WorkerPair pair) {
        try {
            pair.close(results.reported(config));
        } catch (IOException unreadable) {
            results.reported(config).merge("missing_reports", 1L, Long::sum);
        }
    }

    /** Ends whatever still runs. */
    @Override
    public void close() {
        pairs.values().forEach(alike -> alike.values().forEach(WorkerPair::kill));
        pairs.clear();
    }
}
