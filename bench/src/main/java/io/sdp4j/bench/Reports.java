package io.sdp4j.bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Reads from an agent's report what a benchmark must know: where the connections went. */
final class Reports {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Reports() {}

    /** Adds the counts of a report, or that it is missing. */
    static void addFile(Path report, Map<String, Long> counts) throws IOException {
        if (Files.exists(report)) {
            add(Files.readString(report), counts);
        } else {
            counts.merge("missing_reports", 1L, Long::sum);
        }
    }

    /**
     * Adds the counts of {@code report} to {@code counts}, as {@code connections.offloaded.shm},
     * {@code connections.kernel.fallback}, {@code accepted.kernel} and so on.
     */
    static void add(String report, Map<String, Long> counts) {
        try {
            JsonNode all = JSON.readTree(report);
            for (String section : List.of("connections", "accepted")) {
                for (String stack : List.of("offloaded", "kernel")) {
                    addCounts(section + "." + stack, all.required(section).required(stack), counts);
                }
            }
        } catch (JsonProcessingException | IllegalArgumentException e) {
            counts.merge("unreadable_reports", 1L, Long::sum);
        }
    }

    private static void addCounts(String name, JsonNode count, Map<String, Long> counts) {
        if (count.isNumber()) {
            counts.merge(name, count.longValue(), Long::sum);
        }
        count.properties()
                .forEach(one -> addCounts(name + "." + one.getKey(), one.getValue(), counts));
    }

    /** Why the measurements of {@code config} do not count, or null when they do. */
    static String objection(Config config, Map<String, Long> counts) {
        if (config.agent == Config.Agent.NONE) {
            return null;
        }
        if (counts.containsKey("missing_reports") || counts.containsKey("unreadable_reports")) {
            return "the agent left no readable report";
        }
        long offloaded = sum(counts, "connections.offloaded.");
        // a rule is there for those that are meant to be there
        long byRule = counts.getOrDefault("connections.kernel.policy", 0L);
        long kernel = sum(counts, "connections.kernel.") - byRule;
        if (config.agent == Config.Agent.OFFLOADS && (offloaded == 0 || kernel > 0)) {
            return kernel + " connections were not offloaded, " + offloaded + " were";
        }
        if (config.agent == Config.Agent.KERNEL && offloaded > 0) {
            return offloaded + " connections were offloaded against the rules";
        }
        return null;
    }

    private static long sum(Map<String, Long> counts, String prefix) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(prefix))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }
}
