package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: {@code ./sdp4j run} becomes the command, and changes nothing of its environment but the
 * variable that loads the agent. Method: shells and made-up Java runtimes as commands.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunScriptIT {
    private static final String SCRIPT = Path.of("..", "sdp4j").toAbsolutePath().toString();

    @TempDir private Path folder;

    private static Map<String, String> environment(Map<String, String> more) {
        Map<String, String> all = new HashMap<>(more);
        all.put("SDP4J_JAVA_HOME", System.getProperty("java.home"));
        return all;
    }

    @Test
    void theCommandTakesTheScriptsPlace() throws Exception {
        Process run =
                Jvm.builder(List.of(SCRIPT, "run", "--", "sh", "-c", "echo $$; read line")).start();
        try (var out = run.inputReader()) {
            assertEquals("" + run.pid(), out.readLine());
            assertEquals(List.of(), run.descendants().toList(), "still there beside it");
            run.getOutputStream().close();
            assertEquals(1, run.waitFor());
        } finally {
            run.destroyForcibly();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/nowhere/jdk"})
    void theEnvironmentIsTheApplications(String javaHome) {
        Map<String, String> given = new HashMap<>(Map.of("PATH", "/usr/bin:/bin:/nowhere/bin"));
        if (!javaHome.isEmpty()) {
            given.put("JAVA_HOME", javaHome);
        }
        String shown = "echo ${JAVA_HOME-unset} $PATH; echo $JAVA_TOOL_OPTIONS";
        Jvm.Outcome outcome =
                Jvm.process(
                        environment(given), List.of(SCRIPT, "run", "--", "/bin/sh", "-c", shown));
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertEquals("", outcome.err());
        String home = javaHome.isEmpty() ? "unset" : javaHome;
        assertEquals(home + " " + given.get("PATH"), outcome.outLines().get(0));
        assertTrue(outcome.outLines().get(1).startsWith("-javaagent:"), outcome::out);
    }

    /** Goal: the Java options of the application are the application's, and no fault of ours. */
    @Test
    void theOptionsAreTheApplications() {
        Map<String, String> given =
                Map.of(
                        "JAVA_TOOL_OPTIONS", "-XX:+UseZGC -Xlog:gc",
                        "_JAVA_OPTIONS", "-Xlog:gc",
                        "JDK_JAVA_OPTIONS", "-showversion");
        String shown = "echo $JAVA_TOOL_OPTIONS; echo $_JAVA_OPTIONS $JDK_JAVA_OPTIONS";
        Jvm.Outcome outcome =
                Jvm.process(environment(given), List.of(SCRIPT, "run", "--", "sh", "-c", shown));
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertEquals("", outcome.err());
        String options = outcome.outLines().get(0);
        assertTrue(options.matches("-javaagent:\\S+ -XX:\\+UseZGC -Xlog:gc"), options);
        assertEquals("-Xlog:gc -showversion", outcome.outLines().get(1));
    }

    @Test
    void aLinkLeadsToTheScript() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("sdp4j"), Path.of(SCRIPT));
        Jvm.Outcome outcome =
                Jvm.process(environment(Map.of()), List.of(link.toString(), "--version"));
        Files.delete(link); // else JUnit warns of it
        assertEquals(0, outcome.exitCode(), outcome::err);
    }

    @Test
    void aCommandRunsWithAnyCollector() {
        Map<String, String> given = Map.of("JAVA_TOOL_OPTIONS", "-XX:+UseZGC");
        Jvm.Outcome outcome = Jvm.process(environment(given), List.of(SCRIPT, "--version"));
        assertEquals(0, outcome.exitCode(), outcome::out);
    }

    /** A runtime that says what it was told. */
    private Path runtime(String modules) throws IOException {
        Path bin = Files.createDirectories(folder.resolve("image/bin"));
        Files.writeString(folder.resolve("image/release"), "MODULES=\"" + modules + "\"\n");
        Path java = bin.resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"options ${JAVA_TOOL_OPTIONS-unset}\"\n");
        return Files.setPosixFilePermissions(java, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    @Test
    void aRuntimeThatCannotLoadAgentsStartsWithout() throws IOException {
        Path java = runtime("java.base java.logging");
        Jvm.Outcome outcome =
                Jvm.process(environment(Map.of()), List.of(SCRIPT, "run", "--", java.toString()));
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertEquals(List.of("options unset"), outcome.outLines());
        String told = " has no module java.instrument, so it runs without sdp4j";
        assertEquals(List.of("sdp4j: " + java.toRealPath() + told), outcome.errLines());
        Jvm.Outcome withoutScript = Jvm.cli("run", "--", java.toString());
        assertEquals(outcome.outLines(), withoutScript.outLines());
        assertEquals(outcome.errLines(), withoutScript.errLines());
    }

    @Test
    void aRuntimeThatCanStartsWith() throws IOException {
        Path java = runtime("java.base java.instrument java.logging");
        Jvm.Outcome outcome =
                Jvm.process(environment(Map.of()), List.of(SCRIPT, "run", "--", java.toString()));
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertTrue(outcome.out().startsWith("options -javaagent:"), outcome::out);
        assertEquals("", outcome.err());
        assertEquals(outcome.out(), Jvm.cli("run", "--", java.toString()).out());
    }
}
