package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.sdp4j.e2e.programs.RoundTrips;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: where connections move at once, a listening JVM has loaded what a connection needs before
 * its first peer comes. Method: the JVM's log of loaded classes.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RehearsalIT {
    private static final String REHEARSAL = "io.sdp4j.offload.Rehearsal ";

    /** Reads messages of a stream, so a connection has been made. */
    private static final String READER = "io.sdp4j.stream.StreamReader ";

    @TempDir Path directory;

    @Test
    @DisplayName("A listener rehearses a connection, which leaves nothing behind")
    void aListenerRehearses() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = server(jvms, "connect");
            String port = server.await("READY");
            awaitLoaded(READER);
            // the application's listener, the one for offload, and one of the JDK's
            await().atMost(Duration.ofSeconds(30)).until(() -> sockets(server) <= 3);
            Child client = visit(jvms, port);
            assertEquals("all", client.results().get("echoed"), client::toString);
            assertEquals("all", server.results().get("echoed"), server::toString);
            AgentReport report = server.report();
            assertEquals(1, report.acceptedOffloaded(), report::text);
            assertEquals(0, report.acceptedKernel(), report::text);
            assertEquals(0, report.offloaded(), report::text);
        }
    }

    @Test
    @DisplayName("A connection that would be in a trace is not rehearsed")
    void aTraceHasOnlyTheProgramsConnections() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = server(jvms, "connect", "-Dsdp4j.trace=" + directory.resolve("trace"));
            assertEquals("all", visit(jvms, server.await("READY")).results().get("echoed"));
            assertEquals("all", server.results().get("echoed"), server::toString);
            assertFalse(loaded(REHEARSAL));
        }
    }

    @Test
    @DisplayName("Where connections stay on TCP at first, none is rehearsed")
    void noneIsRehearsedByDefault() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade("auto");
            Child server = server(jvms, "auto");
            String port = server.await("READY");
            awaitLoaded("io.sdp4j.offload.OffloadListeners "); // once the program rests
            assertEquals("all", visit(jvms, port).results().get("echoed"));
            assertEquals("all", server.results().get("echoed"), server::toString);
            assertFalse(loaded(REHEARSAL));
        }
    }

    private Child server(Jvms jvms, String upgrade, String... options) throws IOException {
        jvms.upgrade(upgrade);
        List<String> all = new ArrayList<>(List.of(options));
        all.add("-Xlog:class+load:file=" + log());
        return jvms.java(
                "server",
                true,
                all,
                Jvms.classPathOf(RoundTrips.class),
                RoundTrips.class.getName(),
                "SOCKET",
                "64",
                "1");
    }

    private static Child visit(Jvms jvms, String port) throws IOException {
        return jvms.java(
                "client",
                true,
                List.of(),
                Jvms.classPathOf(RoundTrips.class),
                RoundTrips.class.getName(),
                "SOCKET",
                "64",
                "1",
                port,
                "until-offloaded");
    }

    private Path log() {
        return directory.resolve("classes.log");
    }

    private boolean loaded(String type) throws IOException {
        return Files.exists(log()) && Files.readString(log()).contains(type);
    }

    private void awaitLoaded(String type) {
        await().atMost(Duration.ofSeconds(60)).until(() -> loaded(type));
    }

    private static long sockets(Child child) throws IOException {
        try (DirectoryStream<Path> all =
                Files.newDirectoryStream(Path.of("/proc/" + child.pid() + "/fd"))) {
            long n = 0;
            for (Path fd : all) {
                n += Files.readSymbolicLink(fd).toString().startsWith("socket:") ? 1 : 0;
            }
            return n;
        }
    }
}
