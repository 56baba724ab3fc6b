package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "=policy='/etc/my rules.conf'",
                "=policy=\"/etc/my rules.conf\",quiet",
                "'=report=a b'"
            })
    void replacesAnAgentWithQuotesInItsWord(String rest) {
        String outer = "-Da='b c' -javaagent:" + JAR + rest + " -Xmx1g";
        assertEquals(
                "-javaagent:" + JAR + " -Da='b c' -Xmx1g",
                RunCommand.toolOptions(JAR, Map.of(), outer));
    }

    @Test
    void keepsOtherAgentsAndWhatTheJvmWillRefuse() {
        String others = "-javaagent:" + JAR + ".old -Da=it's -Xmx1g";
        assertEquals(
                "-javaagent:" + JAR + " " + others, RunCommand.toolOptions(JAR, Map.of(), others));
    }

    /** The JVM would end the jar's name there. */
    @Test
    void saysThatNoFolderMayHaveAnEqualsSign() {
        Path jar = Path.of("/opt/a=b/sdp4j-agent.jar");
        assertThrows(Unavailable.class, () -> RunCommand.toolOptions(jar, Map.of(), ""));
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
