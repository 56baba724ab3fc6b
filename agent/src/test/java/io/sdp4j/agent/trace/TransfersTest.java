package io.sdp4j.agent.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: the diagrams in docs/transfers.md are what two machines do. Method: plays each mechanism,
 * traces it, draws the trace and compares; {@code -Dsdp4j.docs.write=true} writes them anew.
 */
class TransfersTest {
    private static final Path PAGE = Path.of("../docs/transfers.md");

    @TempDir private Path folder;

    @ParameterizedTest
    @EnumSource
    void drawsWhatHappens(Transfers transfer) throws IOException {
        String name = transfer.name().toLowerCase(Locale.ROOT).replace('_', '-');
        String wanted = "```mermaid\n" + transfer.diagram(folder.resolve("t")) + "```\n";
        String page = Files.readString(PAGE);
        int mark = page.indexOf("<!-- " + name + ": ");
        assertTrue(mark >= 0, "the page has no place for " + name);
        int start = page.indexOf('\n', mark) + 1;
        int end = page.indexOf("<!-- end of " + name + " -->");
        if (Boolean.getBoolean("sdp4j.docs.write")) {
            Files.writeString(PAGE, page.substring(0, start) + wanted + page.substring(end));
            return;
        }
        assertEquals(wanted, page.substring(start, end), PAGE + " is out of date");
    }
}
