package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Parked;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: virtual threads that wait in channels park, and the flight recorder sees what it sees
 * without the agent. Method: 9,100 of them on two carriers, both ends of all connections in one
 * JVM; another pair talks meanwhile; the same without the agent.
 */
@Timeout(value = 240, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ParkedIT {
    private static final int CONNECTIONS = 2_250;
    private static final int LISTENERS = 100;

    @TempDir Path directory;

    private Child run(Jvms jvms, boolean agent) throws Exception {
        return jvms.java(
                "parked",
                agent,
                List.of(
                        "-Djdk.virtualThreadScheduler.parallelism=2",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=2"),
                Jvms.classPathOf(Parked.class),
                Parked.class.getName(),
                Integer.toString(CONNECTIONS),
                Integer.toString(LISTENERS));
    }

    @Test
    @DisplayName("60, 90: 9,100 virtual threads park, and reads and writes are recorded")
    void virtualThreadsParkAndReadsAreRecorded() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.direct();
            Child under = run(jvms, true);
            Map<String, String> seen = new HashMap<>(under.resultsWithin(110));
            assertEquals(List.of(), under.err(), under::toString);
            String threads = "" + (4 * CONNECTIONS + LISTENERS);
            assertEquals(threads, seen.get("waiting"));
            assertEquals(threads, seen.get("released"));
            assertEquals("0", seen.remove("pinned"), under::toString);
            AgentReport report = under.report();
            assertEquals(CONNECTIONS + LISTENERS + 1, report.offloaded(), report::text);
            assertEquals(0, report.fallback() + report.policy(), report::text);
            Child plain = run(jvms, false);
            Map<String, String> expected = new HashMap<>(plain.resultsWithin(110));
            expected.remove("pinned"); // the JDK's own channels are not above it
            assertEquals(expected, seen, plain::toString);
            assertTrue(seen.get("read").matches("200[01] times 200[01]00"), seen::toString);
        }
    }
}
