package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Knocks;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: an end in the midst of hand-shakes is one in order, as it is without any. Method: a server
 * at whose door some knock without end, and a client of it and of a server that stands still.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HandshakesIT {
    private static final int ROUNDS = 3;

    /** On a busy machine. */
    private static final long ENDED_NANOS = 5_000_000_000L;

    /** Of the line that tells of a client that is no client. */
    private static final String HALF = "it says nothing, or half of it";

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("80: SIGTERM among half-done hand-shakes ends either side in silence")
    void endsAmongHandshakes(boolean server) throws Exception {
        Path meeting = directory.resolve("meeting");
        List<String> options = List.of("-Dsdp4j.shm.dir=" + meeting);
        for (int round = 0; round < ROUNDS; round++) {
            try (Jvms jvms = new Jvms(directory)) {
                jvms.direct();
                Child serving = start(jvms, options, "server");
                Child frozen = start(jvms, options, "server");
                String port = serving.await("READY");
                String silent = frozen.await("READY");
                signal("STOP", frozen); // its names are there, and the kernel connects
                Child calling = start(jvms, options, "client", "10", port, server ? port : silent);
                Child knocking = start(jvms, null, "knock", "100", meeting.toString());
                for (Child child : List.of(serving, calling, knocking)) {
                    child.await("UP");
                }
                Child ended = server ? serving : calling;
                long start = System.nanoTime();
                ended.terminate();
                long nanos = System.nanoTime() - start;
                assertTrue(nanos < ENDED_NANOS, "ended only after " + nanos / 1_000_000 + " ms");
                assertEquals(
                        List.of(),
                        ended.err().stream().filter(line -> !line.contains(HALF)).toList());
                AgentReport report = ended.report();
                assertTrue(report.offloaded() + report.acceptedOffloaded() > 0, report::text);
                calling.kill();
                knocking.kill();
                signal("CONT", frozen);
                serving.terminate();
                frozen.terminate();
                try (var names = Files.find(meeting, 5, (_, what) -> !what.isDirectory())) {
                    assertEquals(List.of(), names.toList());
                }
            }
        }
    }

    private static void signal(String name, Child child) throws Exception {
        int exit = new ProcessBuilder("kill", "-" + name, "" + child.pid()).start().waitFor();
        assertEquals(0, exit);
    }

    /**
     * @param options null: without the agent
     */
    private static Child start(Jvms jvms, List<String> options, String... args) throws Exception {
        return jvms.java(
                "Knocks " + args[0],
                options != null,
                options != null ? options : List.of(),
                Jvms.classPathOf(Knocks.class),
                Knocks.class.getName(),
                args);
    }
}
