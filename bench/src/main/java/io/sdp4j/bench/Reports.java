package io.sdp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads from an agent's report what a benchmark must know: where the connections went. */
final class Reports {
    private static final Pattern CONNECTIONS =
            Pattern.compile(
                    "\"(connections|accepted)\"\\s*:\\s*\\{\\s*\"offloaded\"\\s*:\\s*\\{([^}]*)\\}"
                            + "\\s*,\\s*\"kernel\"\\s*:\\s*(\\d+|\\{[^}]*\\})");
    private static final Pattern COUNT = Pattern.compile("\"(\\w+)\"\\s*:\\s*(\\d+)");

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
        Matcher sections = CONNECTIONS.matcher(report);
        boolean any = false;
        while (sections.find()) {
            any = true;
            addCounts(sections.group(1) + ".offloaded.", sections.group(2), counts);
            String kernel = sections.group(3);
            if (kernel.startsWith("{")) {
                addCounts(sections.group(1) + ".kernel.", kernel, counts);
            } else {
                counts.merge(sections.group(1) + ".kernel", Long.valueOf(kernel), Long::sum);
            }
        }
        if (!any) {
            counts.merge("unreadable_reports", 1L, Long::sum);
        }
    }

    private static void addCounts(String prefix, String section, Map<String, Long> counts) {
        Matcher count = COUNT.matcher(section);
        while (count.find()) {
            counts.merge(prefix + count.group(1), Long.valueOf(count.group(2)), Long::sum);
        }
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
