package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.IdleCrowd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: connections that nobody uses cost no wake-up. Method: the context switches of all threads
 * of both processes, counted by the kernel, beside the same on kernel TCP.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleIT {
    private static final int CONNECTIONS = 100;
    private static final int SECONDS = 5;

    /** What a JVM does for itself: half a switch for each end. */
    private static final int SLACK = 100;

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"platform", "virtual"})
    @DisplayName("62: idle connections cost no processor time")
    void idleConnectionsWakeNobody(String threads) throws Exception {
        long kernel = switchesOfAnIdleCrowd(false, threads);
        long offloaded = switchesOfAnIdleCrowd(true, threads);
        assertTrue(
                offloaded <= kernel + 2 * SECONDS + SLACK,
                "offloaded " + offloaded + ", kernel " + kernel);
    }

    private long switchesOfAnIdleCrowd(boolean agent, String threads) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            String count = "" + CONNECTIONS;
            Child server = start(jvms, agent, "server", threads, count);
            Child client = start(jvms, agent, "client", threads, count, server.await("READY"));
            server.await("UP");
            client.await("UP");
            quiet(server, client);
            long before = switches(server) + switches(client);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            await().pollInterval(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> System.nanoTime() >= end);
            long switched = switches(server) + switches(client) - before;
            server.endInput();
            client.endInput();
            assertEquals(0, server.exitCode(), server::toString);
            client.exitCode();
            if (agent) {
                assertEquals(CONNECTIONS, server.report().acceptedOffloaded());
            }
            return switched;
        }
    }

    /** What was started has ended, and what was busy has given back its memory. */
    private static void quiet(Child server, Child client) {
        long[] last = {Long.MAX_VALUE};
        await().pollInterval(Duration.ofSeconds(1))
                .atMost(Duration.ofSeconds(30))
                .until(
                        () -> {
                            long now = switches(server) + switches(client);
                            long grown = now - last[0];
                            last[0] = now;
                            return grown >= 0 && grown < CONNECTIONS / 2;
                        });
    }

    private static long switches(Child child) throws IOException {
        long sum = 0;
        try (var tasks = Files.list(Path.of("/proc/" + child.pid() + "/task"))) {
            for (Path task : tasks.toList()) {
                sum += switches(task);
            }
        }
        return sum;
    }

    private static long switches(Path task) {
        try {
            return Files.readAllLines(task.resolve("status")).stream()
                    .filter(line -> line.contains("ctxt_switches"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
        } catch (IOException ended) {
            return 0;
        }
    }

    private static Child start(Jvms jvms, boolean agent, String... args) throws Exception {
        return jvms.java(
                "IdleCrowd " + args[0],
                agent,
                List.of(),
                Jvms.classPathOf(IdleCrowd.class),
                IdleCrowd.class.getName(),
                args);
    }
}
