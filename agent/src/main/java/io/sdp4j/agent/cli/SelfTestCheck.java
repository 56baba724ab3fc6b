package io.sdp4j.agent.cli;

import io.sdp4j.agent.JsonReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The doctor's last look: a program that knows nothing of sdp4j, run for a second under the agent.
 */
final class SelfTestCheck {
    private static final String NAME = "self-test";

    /** The question is whether it works, not whether the machine is busy. */
    private static final long PATIENCE_MILLIS = 60_000;

    private static final String MAIN = "io.sdp4j.shim.SelfTest";

    private SelfTestCheck() {}

    /**
     * @param rounds blocks to send at most; 0 = as many as fit into a second
     */
    static Check run(int rounds) throws InterruptedException {
        try {
            Path folder = Files.createTempDirectory("sdp4j-doctor");
            Path rules = folder.resolve("rules.conf");
            Path report = folder.resolve("report.json");
            try {
                Files.writeString(rules, "use both server * *:*\nuse sdp client * *:*\n");
                return run(rules, report, rounds);
            } finally {
                for (Path file : List.of(rules, report, folder)) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (IOException | IllegalArgumentException e) {
            return Check.fail(NAME, "cannot be run: " + e, "look at the temporary directory");
        }
    }

    private static Check run(Path rules, Path report, int rounds)
            throws IOException, InterruptedException {
        Path jar = Place.agentJar();
        Map<String, String> options = new LinkedHashMap<>();
        options.put("policy", rules.toString());
        options.put("report", report.toString());
        options.put("connect.timeout.ms", Long.toString(PATIENCE_MILLIS / 6));
        try (Child child =
                Child.java(
                        List.of(
                                AgentOptions.javaAgent(jar, options),
                                "-cp",
                                jar.toString(),
                                MAIN,
                                Integer.toString(rounds)))) {
            int exit = child.exitCode(PATIENCE_MILLIS);
            String errors = String.join(" | ", child.errors());
            if (exit != 0 || !Files.exists(report)) {
                return Check.fail(
                        NAME, "exit code " + exit + " " + errors, "run " + MAIN + " by hand");
            }
            String bytes = child.values().getOrDefault("bytes", "0");
            Map<?, ?> root = (Map<?, ?>) JsonReader.parse(Files.readString(report));
            Map<?, ?> connections = (Map<?, ?>) root.get("connections");
            Map<?, ?> offloaded = (Map<?, ?>) connections.get("offloaded");
            if (offloaded.isEmpty()) {
                return Check.fail(
                        NAME,
                        bytes
                                + " bytes arrived, but on kernel TCP: "
                                + root.get("reasons")
                                + (errors.isEmpty() ? "" : " " + errors),
                        "the reasons are explained in docs/report.md");
            }
            return Check.ok(NAME, bytes + " bytes over " + offloaded.keySet() + ", all intact");
        }
    }
}
