package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.programs.AsyncConnection;
import io.sdp4j.agent.programs.OtherAsyncProvider;
import io.sdp4j.agent.programs.Surroundings;
import io.sdp4j.e2e.AgentReport;
import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Asynchronous channels of a program that knows nothing of the agent: behaviours 64, 66 to 68. */
class AsyncIT {
    private static final String PROPERTY = "java.nio.channels.spi.AsynchronousChannelProvider";

    @TempDir private Path folder;

    private static Jvm.Outcome run(Path report) {
        return Jvm.run(AsyncConnection.class, List.of(Jvm.agent("report=" + report)));
    }

    /** Goal: behaviour 64, every kind of group passes the switch, and nothing is said. */
    @Test
    @DisplayName("64: every kind of group passes the switch")
    void everyKindOfGroupIsOffloaded() throws IOException {
        Path report = folder.resolve("report.json");
        Jvm.Outcome outcome = run(report);
        assertEquals("", outcome.err());
        assertEquals(List.of("byte=42"), outcome.outLines());
        assertEquals(3, AgentReport.read(report).offloaded());
    }

    /** Goal: rules that offload nothing leave the JDK's own channels. */
    @Test
    void usesTheKernelByRule() throws IOException {
        Path rules =
                Files.writeString(
                        folder.resolve("rules.conf"),
                        "use tcp client * *:*\nuse tcp server * *:*\n");
        Path report = folder.resolve("report.json");
        Jvm.Outcome outcome =
                Jvm.run(
                        AsyncConnection.class,
                        List.of(Jvm.agent("report=" + report + ",policy=" + rules)));
        assertEquals("", outcome.err());
        assertEquals(List.of("byte=42"), outcome.outLines());
        assertEquals(0, AgentReport.read(report).offloaded());
    }

    /** Goal: a switch that cannot start costs one line, and the channels are the JDK's. */
    @Test
    void worksWithoutTheSwitch() throws IOException {
        Path hollow = Files.copy(Jvm.JAR, folder.resolve("hollow.jar"));
        try (FileSystem jar = FileSystems.newFileSystem(hollow)) {
            Files.delete(jar.getPath("sdp4j-modules/io.sdp4j.offload/module-info.class"));
        }
        Jvm.Outcome outcome = Jvm.run(AsyncConnection.class, List.of("-javaagent:" + hollow));
        assertEquals(List.of("byte=42"), outcome.outLines());
        assertEquals(1, outcome.errLines().size(), outcome::err);
        assertTrue(outcome.err().startsWith("sdp4j: off, "), outcome::err);
        Jvm.Outcome groups =
                Jvm.run(AsyncConnection.class, List.of("-javaagent:" + hollow), "groups");
        assertEquals(List.of("providers=1"), groups.outLines(), "made once");
    }

    /** Goal: behaviour 67, so does one that comes in a service file. */
    @Test
    @DisplayName("67: a provider on the class path stays, and one line says so")
    void standsAsideForAService() throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        String theirs = OtherAsyncProvider.class.getName();
        Files.writeString(services.resolve(PROPERTY), theirs);
        Jvm.Outcome outcome =
                Jvm.java(
                        List.of(
                                Jvm.agent(""),
                                "-cp",
                                folder + File.pathSeparator + Jvm.classes(),
                                AsyncConnection.class.getName()));
        assertTrue(outcome.err().contains(OtherAsyncProvider.TEXT), outcome::err);
        assertEquals(
                "sdp4j: asynchronous channels are not offloaded: the class path brings " + theirs,
                outcome.errLines().getFirst());
    }

    /** Goal: behaviour 67, a provider of others stays, and one line says so. */
    @Test
    @DisplayName("67: a provider that is named stays, and one line says so")
    void standsAside() {
        String theirs = OtherAsyncProvider.class.getName();
        Jvm.Outcome outcome =
                Jvm.run(
                        AsyncConnection.class,
                        List.of("-D" + PROPERTY + "=" + theirs, Jvm.agent("")),
                        "who");
        assertEquals(List.of(OtherAsyncProvider.class.getPackageName()), outcome.outLines());
        assertEquals(
                List.of(
                        "sdp4j: asynchronous channels are not offloaded: "
                                + PROPERTY
                                + " names "
                                + theirs),
                outcome.errLines());
    }

    /** Goal: a program that turns it off has the JDK's own channels. */
    @Test
    void canBeTurnedOff() {
        Jvm.Outcome who =
                Jvm.run(AsyncConnection.class, List.of(Jvm.agent("async.enabled=false")), "who");
        assertEquals("", who.err());
        assertEquals(List.of("sun.nio.ch"), who.outLines());
    }

    /** Goal: behaviour 68, the property is gone again. */
    @Test
    @DisplayName("68: no property is left")
    void leavesNoProperty() {
        Jvm.Outcome outcome = Jvm.run(Surroundings.class, List.of(Jvm.agent("")));
        assertTrue(!outcome.out().contains(PROPERTY), outcome::out);
        Jvm.Outcome who = Jvm.run(AsyncConnection.class, List.of(Jvm.agent("")), "who");
        assertEquals(List.of("io.sdp4j.shim"), who.outLines());
    }
}
