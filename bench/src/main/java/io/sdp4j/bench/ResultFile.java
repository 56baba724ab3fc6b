package io.sdp4j.bench;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonSerializer;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** A run in a file, with the machine and the settings that it was taken with. */
final class ResultFile {
    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .enable(SerializationFeature.INDENT_OUTPUT)
                    .addModule(new SimpleModule().addSerializer(Double.class, new Rounded()))
                    .build();

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
        Files.writeString(file, text(all));
    }

    /** Makes it, or fails before anything is measured. */
    static void make(Path file) throws IOException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND).close();
    }

    static String text(Map<String, Object> all) throws IOException {
        return JSON.writeValueAsString(all) + "\n";
    }

    /** Six digits are more than a measurement is worth. */
    private static final class Rounded extends JsonSerializer<Double> {
        @Override
        public void serialize(Double number, JsonGenerator out, SerializerProvider provider)
                throws IOException {
            if (number.isNaN() || number.isInfinite()) {
                out.writeNull();
            } else {
                out.writeNumber(new BigDecimal(number).round(new MathContext(6)).toPlainString());
            }
        }
    }
}
