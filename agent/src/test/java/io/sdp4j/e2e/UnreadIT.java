package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Unread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: clients that never read cost a server no more memory than what they can take. Method: a
 * server with a small heap writes to two of them, and to fifty, until they take nothing more; the
 * kernel's account of its memory, shared memory included, beside that of a server on kernel TCP.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UnreadIT {
    /** A connection's buffers, the memory of both directions included. */
    private static final long MOST_EACH_KB = 18 << 10;

    /** Memory of the agent itself. */
    private static final long AGENT_KB = 100 << 10;

    @TempDir Path directory;

    private static long residentKb(Child child) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + child.pid() + "/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                .sum();
    }

    private long residentKb(boolean agent, int connections) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.direct();
            String classes = Jvms.classPathOf(Unread.class);
            String main = Unread.class.getName();
            List<String> small = List.of("-Xmx128m", "-XX:MaxDirectMemorySize=64m");
            String count = "" + connections;
            Child server = jvms.java("server", agent, small, classes, main, "server", count);
            String port = server.await("READY");
            Child client = jvms.java("client", agent, small, classes, main, "client", port, count);
            client.await("UP");
            server.await("taken=");
            long resident = residentKb(server);
            client.endInput();
            server.endInput();
            assertEquals(0, client.exitCode(), client::toString);
            assertEquals(0, server.exitCode(), server::toString);
            if (agent) {
                assertEquals(connections, server.report().acceptedOffloaded());
            }
            return resident;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 50})
    @DisplayName("99: clients that never read cost a bounded amount of memory")
    void clientsThatNeverReadCostABoundedAmount(int connections) throws Exception {
        long kernel = residentKb(false, connections);
        long offloaded = residentKb(true, connections);
        long most = kernel + AGENT_KB + connections * MOST_EACH_KB;
        assertTrue(
                offloaded <= most,
                () -> offloaded + " KB, kernel TCP " + kernel + " KB, at most " + most);
    }
}
