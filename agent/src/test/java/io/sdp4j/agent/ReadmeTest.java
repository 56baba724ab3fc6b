package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.spi.ReasonCode;
import io.sdp4j.policy.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Goal: tables in the documents say what the code says. Method: compares them with the code's own
 * words; run with {@code -Dsdp4j.docs.write=true} to write them anew.
 */
class ReadmeTest {
    @Test
    void listsEverySetting() throws IOException {
        check(Path.of("../docs/settings.md"), "settings", Settings.markdown());
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
