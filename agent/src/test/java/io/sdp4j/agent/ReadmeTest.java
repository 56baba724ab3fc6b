package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.policy.Setting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Goal: tables in the documents say what the code says. Method: compares them with the code's own
 * words; run with {@code -Dsdp4j.docs.write=true} to write them anew.
 */
class ReadmeTest {
    private static final String INTERNAL = "sdp4j.internal.";

    @Test
    void isShort() throws IOException {
        int lines = Files.readAllLines(Path.of("../README.md")).size();
        assertTrue(lines < 150, () -> lines + " lines");
    }

    @Test
    void listsEverySetting() throws IOException {
        check(Path.of("../docs/settings.md"), "settings", table(false));
        check(Path.of("../docs/internal-settings.md"), "settings", table(true));
    }

    private static String table(boolean internal) {
        StringBuilder out =
                new StringBuilder("| Setting | Default | Range | Unit | What it does |\n");
        out.append("|---|---|---|---|---|\n");
        for (Setting s : AgentSettings.ALL) {
            if (s.id().startsWith(INTERNAL) == internal) {
                String fallback = s.defaultText().isEmpty() ? "" : "`" + s.defaultText() + "`";
                out.append("| `").append(s.id()).append("` | ").append(fallback);
                out.append(" | ").append(s.range()).append(" | ").append(s.unit());
                out.append(" | ").append(s.help()).append(" |\n");
            }
        }
        return out.toString().replace("|  |", "| |").replace("|  |", "| |");
    }

    /** A setting that no test sets is a constant. */
    @Test
    void everyInternalSettingIsSetByATest() throws IOException {
        StringBuilder tests = new StringBuilder();
        for (Path file : testSources()) {
            tests.append(Files.readString(file));
        }
        for (Setting setting : AgentSettings.ALL) {
            if (setting.id().startsWith(INTERNAL)) {
                String option = setting.option();
                assertTrue(tests.indexOf('"' + option + '"') >= 0, option + " is in no test");
            }
        }
    }

    private static List<Path> testSources() throws IOException {
        List<Path> sources = new ArrayList<>();
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            for (Path module : modules.toList()) {
                Path folder = module.resolve("src/test/java");
                if (Files.isDirectory(folder)) {
                    try (Stream<Path> files = Files.walk(folder)) {
                        files.filter(f -> f.toString().endsWith(".java")).forEach(sources::add);
                    }
                }
            }
        }
        return sources;
    }

    @Test
    void listsEveryReason() throws IOException {
        StringBuilder table = new StringBuilder("| Code | Meaning |\n|---|---|\n");
        for (ReasonCode code : ReasonCode.values()) {
            table.append("| `").append(code.name()).append("` | ");
            table.append(code.sentence()).append(" |\n");
        }
        check(Path.of("../docs/report.md"), "reasons", table.toString());
    }

    private static void check(Path file, String name, String wanted) throws IOException {
        String text = Files.readString(file);
        int start = text.indexOf('\n', text.indexOf("<!-- " + name + ":")) + 1;
        int end = text.indexOf("<!-- end of " + name + " -->");
        if (Boolean.getBoolean("sdp4j.docs.write")) {
            Files.writeString(file, text.substring(0, start) + wanted + text.substring(end));
            return;
        }
        assertEquals(wanted, text.substring(start, end), file + " is out of date");
    }
}
