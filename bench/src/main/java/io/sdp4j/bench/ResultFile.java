package io.sdp4j.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A run in a file, with the machine and the settings that it was taken with. */
final class ResultFile {
    private ResultFile() {}

    static void write(
            Path file,
            Map<String, Object> machine,
            Times times,
            int busy,
            Path agentJar,
            long seconds,
            Map<String, ?> findings)
            throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("format", 1);
        all.put("when", Instant.now().toString());
        all.put("machine", machine);
        Map<String, Object> settings = new LinkedHashMap<>();
        settings.put("rounds", times.rounds());
        settings.put("first_warm_ms", times.firstWarmMs());
        settings.put("further_warm_ms", times.furtherWarmMs());
        settings.put("warm_ms", times.warmMs());
        settings.put("measure_ms", times.measureMs());
        settings.put("short_warm_ms", times.forNeighbours().warmMs());
        settings.put("short_measure_ms", times.forNeighbours().measureMs());
        settings.put("patience_ms", times.patienceMs());
        settings.put("busy_loops", busy);
        settings.put("agent", agentJar != null);
        settings.put("seconds", seconds);
        all.put("settings", settings);
        all.putAll(findings);
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.writeString(file, Json.write(all));
    }
}
