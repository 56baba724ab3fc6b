package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunCommandTest {
    private static final Path JAR = Path.of("/opt/sdp4j-agent.jar");

    @Test
    void keepsWhatWasThere() {
        assertEquals("-javaagent:" + JAR, RunCommand.toolOptions(JAR, Map.of(), ""));
        assertEquals(
                "-javaagent:" + JAR + " -Xmx1g", RunCommand.toolOptions(JAR, Map.of(), "-Xmx1g"));
    }

    @Test
    void replacesAnOuterRun() {
        String outer = RunCommand.toolOptions(JAR, Map.of("report", "a b"), "-Xmx1g");
        assertEquals("'-javaagent:" + JAR + "=report=a b' -Xmx1g", outer);
        assertEquals("-javaagent:" + JAR + " -Xmx1g", RunCommand.toolOptions(JAR, Map.of(), outer));
    }

    @Test
    void escapesSeparators() {
        Map<String, String> options = new LinkedHashMap<>();
        options.put("report", "a,b\\c=d");
        options.put("quiet", "true");
        assertEquals(
                "-javaagent:" + JAR + "=report=a\\,b\\\\c=d,quiet=true",
                AgentOptions.javaAgent(JAR, options));
    }

    @Test
    void makesFilesAbsolute() {
        assertEquals(
                Path.of("r.json").toAbsolutePath().toString(),
                AgentOptions.absolute("report", "r.json"));
        assertEquals("info", AgentOptions.absolute("log.level", "info"));
        assertThrows(Unavailable.class, () -> AgentOptions.absolute("report", "a\u0000b"));
    }
}
