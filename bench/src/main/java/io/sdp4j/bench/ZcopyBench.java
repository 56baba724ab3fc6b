package io.sdp4j.bench;

import io.sdp4j.bench.net.AsyncPeers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Compares borrowing direct buffers with copying them: 1 MiB buffers through asynchronous channels,
 * one and four of them in one operation, one way. A comparison, not a bar: its outcome is the
 * default of {@code sdp4j.zcopy.enabled}. For one thread.
 */
final class ZcopyBench {
    /** Some five minutes on a quiet machine. */
    static final Times FULL = new Times(7, 2000, 10_000, 500, 1500, 1);

    /** With less of a warm-up the first mebibytes are all that is measured. */
    static final Times QUICK = new Times(2, 2000, 0, 300, 300, 1);

    private static final int START_TIMEOUT_MS = 20_000;
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int[] BUFFERS = {1, 4};

    private static final List<Config> CONFIGS =
            List.of(Config.ASYNC_TCP, Config.ASYNC_COPYING, Config.ASYNC_LENDING);

    private final Launch launch;
    private final Times times;
    private final Consumer<String> progress;

    /** Bytes per second and CPU seconds per GB of each round. */
    private final Map<Config, List<List<double[]>>> runs = new EnumMap<>(Config.class);

    ZcopyBench(Launch launch, Times times, Consumer<String> progress) {
        this.launch = launch;
        this.times = times;
        this.progress = progress;
        for (Config c : CONFIGS) {
            List<List<double[]>> each = new ArrayList<>();
            for (int i = 0; i < BUFFERS.length; i++) {
                each.add(new ArrayList<>());
            }
            runs.put(c, each);
        }
    }

    /** Measures and gives the table. */
    String run() throws IOException, InterruptedException {
        for (int round = 1; round <= times.rounds(); round++) {
            List<Config> turn = new ArrayList<>(CONFIGS);
            Collections.rotate(turn, round);
            for (Config config : turn) {
                progress.accept("round " + round + "/" + times.rounds() + "  " + config.title);
                measure(config);
            }
        }
        return table();
    }

    private void measure(Config config) throws IOException, InterruptedException {
        Worker server =
                new Worker(
                        config.title + " server",
                        launch.command(config, 1, null, AsyncPeers.class));
        Worker client = null;
        try {
            String port = server.expect("READY", START_TIMEOUT_MS);
            client =
                    new Worker(
                            config.title + " client",
                            launch.command(config, 0, null, AsyncPeers.class, port));
            client.expect("READY", START_TIMEOUT_MS);
            warmUp(server, client);
            for (int i = 0; i < BUFFERS.length; i++) {
                String answer = run(client, BUFFERS[i], times.warmMs(), times.measureMs());
                runs.get(config).get(i).add(new double[] {of(answer, "bytes"), of(answer, "cpu")});
            }
            client.close();
            server.close();
        } finally {
            server.kill();
            if (client != null) {
                client.kill();
            }
        }
    }

    private void warmUp(Worker server, Worker client) throws IOException, InterruptedException {
        String _ = run(client, BUFFERS[0], times.firstWarmMs(), times.warmMs());
        Compilers.warmUp(
                times.furtherWarmMs(),
                forMs -> run(client, BUFFERS[0], forMs, times.warmMs()),
                client,
                server);
    }

    private static String run(Worker client, int buffers, int warmMs, int measureMs)
            throws IOException, InterruptedException {
        return client.ask(
                "async " + BUFFER_BYTES + " " + buffers + " " + warmMs + " " + measureMs,
                START_TIMEOUT_MS + 10L * (warmMs + measureMs));
    }

    private static double of(String answer, String name) {
        for (String pair : answer.split(" ", -1)) {
            if (pair.startsWith(name + "=")) {
                return Double.parseDouble(pair.substring(name.length() + 1));
            }
        }
        return Double.NaN;
    }

    /** Every run: bytes per second, CPU nanoseconds of both processes per byte. */
    List<Object> rowsForJson() {
        List<Object> rows = new ArrayList<>();
        for (int i = 0; i < BUFFERS.length; i++) {
            Map<String, Object> byConfig = new LinkedHashMap<>();
            for (Config config : CONFIGS) {
                List<Object> list = new ArrayList<>();
                List<double[]> measured = runs.get(config).get(i);
                for (int round = 0; round < measured.size(); round++) {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("round", round + 1);
                    one.put("bytes", measured.get(round)[0]);
                    one.put("cpu", measured.get(round)[1]);
                    list.add(one);
                }
                byConfig.put(config.id, list);
            }
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("id", "async-" + BUFFERS[i] + "x" + BUFFER_BYTES);
            row.put("title", "asynchronous channels, 1 MiB direct buffers, " + BUFFERS[i]);
            row.put("metric", "cpu");
            row.put("runs", byConfig);
            rows.add(row);
        }
        return rows;
    }

    private String table() {
        StringBuilder out = new StringBuilder();
        out.append("| asynchronous channels, 1 MiB direct buffers | throughput | CPU |")
                .append(" throughput, of copying | CPU, of copying |\n|---|---|---|---|---|\n");
        for (int i = 0; i < BUFFERS.length; i++) {
            double[] base = medians(Config.ASYNC_COPYING, i);
            for (Config config : CONFIGS) {
                double[] m = medians(config, i);
                out.append("| ")
                        .append(config.title)
                        .append(", ")
                        .append(BUFFERS[i])
                        .append(" at a time | ")
                        .append(Format.value("bytes", m[0]))
                        .append(" | ")
                        .append(Format.value("cpu", m[1]))
                        .append(" | ")
                        .append(Format.ratio(m[0] / base[0]))
                        .append(" | ")
                        .append(Format.ratio(m[1] / base[1]))
                        .append(" |\n");
            }
        }
        return out.toString();
    }

    private double[] medians(Config config, int row) {
        double[] result = new double[2];
        for (int metric = 0; metric < 2; metric++) {
            int column = metric;
            double[] sorted =
                    runs.get(config).get(row).stream().mapToDouble(r -> r[column]).toArray();
            Arrays.sort(sorted);
            result[metric] = Results.median(sorted);
        }
        return result;
    }
}
