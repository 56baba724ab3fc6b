package io.sdp4j.agent.cli;

import io.sdp4j.agent.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Runs the stream sample, one JVM serving and one measuring, and gathers what they print.
 *
 * @param samples jar of the sample programs
 * @param seconds length of each measured part
 * @param bytes bytes checked each way
 * @param progress takes a line for the user, who waits
 */
record StreamRun(Path samples, double seconds, long bytes, Consumer<String> progress) {
    static final String SERVER = "io.sdp4j.samples.StreamServer";
    private static final String CLIENT = "io.sdp4j.samples.StreamClient";
    private static final long START_MILLIS = 20_000;
    private static final long RUN_MILLIS = 60_000; // beside what is measured

    /**
     * One run.
     *
     * @param fabric what carried the connection; empty: kernel TCP
     * @param offloaded connections the client made outside the kernel
     * @param onKernel connections it made on kernel TCP
     * @param reasons the client's reasons, by code
     * @param checkedBytes bytes whose digests were compared, both directions together
     */
    record Result(
            double rttP50Nanos,
            double rttP99Nanos,
            double megabytesPerSecond,
            double cpuSecondsPerGb,
            long checkedBytes,
            boolean verified,
            String fabric,
            long offloaded,
            long onKernel,
            Map<?, ?> reasons) {
        Map<String, Object> map() {
            Map<String, Object> map = new LinkedHashMap<>();
            map.put("rtt_p50_ns", rttP50Nanos);
            map.put("rtt_p99_ns", rttP99Nanos);
            map.put("mb_per_s", megabytesPerSecond);
            map.put("cpu_s_per_gb", cpuSecondsPerGb);
            map.put("bytes", checkedBytes);
            map.put("verified", verified);
            map.put("fabric", fabric);
            map.put("offloaded", offloaded);
            map.put("kernel", onKernel);
            map.put("reasons", reasons);
            return map;
        }
    }

    Result kernel() throws InterruptedException {
        progress.accept("1/2 kernel TCP");
        return run(List.of(), List.of(), null);
    }

    Result offload(Path agent, Path rules, Path folder) throws IOException, InterruptedException {
        progress.accept("2/2 with -javaagent:" + agent.getFileName());
        Path report = folder.resolve("client.json");
        Map<String, String> options = options(rules, Runtime.getRuntime().availableProcessors());
        List<String> server = List.of(AgentOptions.javaAgent(agent, options));
        options.put("report", report.toString());
        try {
            return run(server, List.of(AgentOptions.javaAgent(agent, options)), report);
        } finally {
            Files.deleteIfExists(report);
        }
    }

    /** Of the agent. With one processor it would keep so young a connection on TCP. */
    static Map<String, String> options(Path rules, int processors) {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("policy", rules.toString());
        if (processors == 1) {
            options.put("upgrade", "connect");
        }
        return options;
    }

    private Result run(List<String> serverOptions, List<String> clientOptions, Path report)
            throws InterruptedException {
        try (Child server = Child.java(arguments(serverOptions, SERVER, List.of()))) {
            String ready = server.await(line -> line.startsWith("READY "), START_MILLIS);
            if (ready == null) {
                throw new Unavailable("the server did not start: " + server.errors());
            }
            List<String> wishes =
                    List.of(
                            "--port", ready.substring(6).strip(),
                            "--seconds", Double.toString(seconds),
                            "--bytes", Long.toString(bytes));
            try (Child client = Child.java(arguments(clientOptions, CLIENT, wishes))) {
                for (String phase :
                        List.of("round trips", "bulk transfer", "checking every byte")) {
                    if (client.await(("phase=" + phase)::equals, runMillis()) != null) {
                        progress.accept("    " + phase);
                    }
                }
                int clientExit = client.exitCode(runMillis());
                int serverExit = server.exitCode(START_MILLIS);
                client.errors().forEach(line -> progress.accept("    client: " + line));
                server.errors().forEach(line -> progress.accept("    server: " + line));
                return result(client.values(), server.values(), clientExit, serverExit, report);
            }
        }
    }

    private long runMillis() {
        return RUN_MILLIS + (long) (seconds * 2_000);
    }

    private List<String> arguments(List<String> options, String main, List<String> wishes) {
        List<String> arguments = new ArrayList<>(options);
        arguments.addAll(List.of("-cp", samples.toString(), main));
        arguments.addAll(wishes);
        return arguments;
    }

    private static Result result(
            Map<String, String> client,
            Map<String, String> server,
            int clientExit,
            int serverExit,
            Path report) {
        boolean verified =
                clientExit == 0
                        && serverExit == 0
                        && equal(client.get("sha256_sent"), server.get("sha256_received"))
                        && equal(client.get("sha256_received"), server.get("sha256_sent"));
        Map<?, ?> root = read(report);
        Map<?, ?> connections = child(root, "connections");
        Map<?, ?> offloaded = child(connections, "offloaded");
        long onKernel =
                report == null
                        ? 1
                        : child(connections, "kernel").values().stream()
                                .mapToLong(StreamRun::count)
                                .sum();
        return new Result(
                number(client, "rtt_p50_ns"),
                number(client, "rtt_p99_ns"),
                number(client, "mb_per_s"),
                number(client, "cpu_s_per_gb"),
                (long) number(client, "bytes"),
                verified,
                offloaded.isEmpty() ? "" : String.valueOf(offloaded.keySet().iterator().next()),
                offloaded.values().stream().mapToLong(StreamRun::count).sum(),
                onKernel,
                child(root, "reasons"));
    }

    private static boolean equal(String one, String other) {
        return one != null && one.length() == 64 && one.equals(other);
    }

    private static Map<?, ?> read(Path report) {
        if (report == null || !Files.exists(report)) {
            return Map.of();
        }
        try {
            return JsonReader.parse(Files.readString(report)) instanceof Map<?, ?> map
                    ? map
                    : Map.of();
        } catch (IOException | IllegalArgumentException e) {
            throw new Unavailable("no usable report in " + report + ": " + e.getMessage());
        }
    }

    private static Map<?, ?> child(Map<?, ?> map, String key) {
        return map.get(key) instanceof Map<?, ?> found ? found : Map.of();
    }

    private static long count(Object value) {
        return value instanceof Long number ? number : 0;
    }

    private static double number(Map<String, String> values, String key) {
        String text = values.get(key);
        return text == null ? Double.NaN : Double.parseDouble(text);
    }
}
