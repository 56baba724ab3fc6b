package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: limits are read as the kernel prints them, and what makes no sense counts as not said. */
class ProcessLimitsTest {
    private static final String RECORDED =
            """
            Limit                     Soft Limit           Hard Limit           Units
            Max cpu time              unlimited            unlimited            seconds
            Max processes             61793                61793                processes
            Max open files            1048576              1048576              files
            Max locked memory         8388608              8388608              bytes
            Max address space         unlimited            unlimited            bytes
            """;

    @TempDir private Path folder;

    private ProcessLimits of(String text) throws IOException {
        return ProcessLimits.of(Files.writeString(folder.resolve("limits"), text));
    }

    @Test
    void readsTheSoftLimit() throws IOException {
        assertEquals(new ProcessLimits("8388608", "1048576"), of(RECORDED));
        assertEquals(
                new ProcessLimits("unlimited", "1048576"),
                of(RECORDED.replaceAll("8388608", "unlimited")));
    }

    @Test
    void whatIsNotThereIsNotSaid() throws IOException {
        assertEquals(new ProcessLimits("", ""), of("Max open files\nMax locked memory   much\n"));
        assertEquals(new ProcessLimits("", ""), ProcessLimits.of(folder.resolve("none")));
    }
}
