package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.programs.OneConnection;
import io.sdp4j.e2e.AgentReport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: what docs/startup.md says of class archives and AOT caches holds. */
class ArchiveIT {
    private static final String AGENT_MODULE = "--add-modules=java.instrument";

    @TempDir private Path folder;

    private Path program;

    /** Archives take classes from jars only. */
    @BeforeEach
    void pack() throws IOException {
        Map<String, byte[]> entries = AgentRuns.entries(OneConnection.class);
        program = AgentRuns.jar(folder.resolve("program.jar"), Map.of(), entries);
    }

    private Jvm.Outcome run(String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("-cp", program.toString(), OneConnection.class.getName()));
        Jvm.Outcome outcome = Jvm.java(all);
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertTrue(outcome.out().contains("byte=42"), outcome::out);
        return outcome;
    }

    private void assertFits(String archive, String... options) throws IOException {
        Path loaded = folder.resolve("loaded");
        Path report = folder.resolve("report.json");
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of(archive, "-Xlog:class+load:file=" + loaded, Jvm.OFFLOADS));
        all.add(Jvm.agent("connect.timeout.ms=60000,report=" + report));
        Jvm.Outcome with = run(all.toArray(String[]::new));
        assertEquals("byte=42\n", with.out());
        assertEquals("", with.err());
        assertTrue(
                Files.readAllLines(loaded).stream()
                        .anyMatch(
                                line ->
                                        line.contains(OneConnection.class.getName() + " ")
                                                && line.contains("shared objects file")),
                "the program's class is not from the archive");
        assertEquals(1, AgentReport.read(report).offloaded());
    }

    @Test
    @DisplayName("74: an AOT cache that was trained with the agent")
    void anAotCacheIsTrainedWithTheAgent() throws IOException {
        Path cache = folder.resolve("app.aot");
        run("-XX:AOTCacheOutput=" + cache, Jvm.agent(""));
        assertFits("-XX:AOTCache=" + cache, "-XX:AOTMode=on");
    }

    @Test
    void orWithTheModuleThatEveryAgentBrings() throws IOException {
        Path cache = folder.resolve("app.aot");
        run("-XX:AOTCacheOutput=" + cache, AGENT_MODULE);
        assertFits("-XX:AOTCache=" + cache);
    }

    @Test
    void aClassArchiveStandsOnABaseWithThatModule() throws IOException {
        Path base = folder.resolve("base.jsa");
        Path archive = folder.resolve("app.jsa");
        Jvm.Outcome dumped =
                Jvm.java(List.of("-Xshare:dump", "-XX:SharedArchiveFile=" + base, AGENT_MODULE));
        assertEquals(0, dumped.exitCode(), dumped::err);
        run("-XX:SharedArchiveFile=" + base, "-XX:ArchiveClassesAtExit=" + archive, AGENT_MODULE);
        assertFits("-XX:SharedArchiveFile=" + archive);
    }

    /** Goal: it is the module alone that makes others not fit, nothing of ours. */
    @Test
    void oneTrainedWithoutIsRefusedForThatModule() {
        Path cache = folder.resolve("app.aot");
        run("-XX:AOTCacheOutput=" + cache);
        Jvm.Outcome with = run("-XX:AOTCache=" + cache, Jvm.agent(""));
        assertTrue(with.out().contains("jdk.module.addmods: java.instrument"), with::out);
    }
}
