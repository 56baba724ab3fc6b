package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.IdleCrowd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

    /** What the same took without the agent. */
    private static final Map<String, Long> KERNEL = new HashMap<>();

    @TempDir Path directory;

    /** What our threads may do: a look every second at each end, and what is just ending. */
    private static final int MOST_OWN = 2 * SECONDS + 10;

    @ParameterizedTest
    @CsvSource({
        "platform, connect, native",
        "virtual,  connect, native",
        "selector, connect, native",
        "async,    connect, native",
        "platform, connect, portable",
        "selector, connect, portable",
        "platform, 1,       native",
        "selector, 1,       native"
    })
    @DisplayName("62: idle connections cost no processor time")
    void idleConnectionsWakeNobody(String who, String upgrade, String mode) throws Exception {
        if (!KERNEL.containsKey(who)) {
            KERNEL.put(who, switchesOfAnIdleCrowd(false, who, upgrade, List.of()));
        }
        long kernel = KERNEL.get(who);
        List<String> options =
                mode.equals("native")
                        ? List.of()
                        : List.of("-Dsdp4j.shm.portable=true", "--illegal-native-access=deny");
        long offloaded = switchesOfAnIdleCrowd(true, who, upgrade, options);
        assertTrue(
                offloaded <= kernel + 2 * SECONDS + SLACK,
                "offloaded " + offloaded + ", kernel " + kernel);
    }

    private long switchesOfAnIdleCrowd(
            boolean agent, String who, String upgrade, List<String> options) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade(upgrade);
            String count = "" + CONNECTIONS;
            Child server = start(jvms, agent, options, "server", who, count);
            Child client = start(jvms, agent, options, "client", who, count, server.await("READY"));
            server.await("UP");
            client.await("UP");
            quiet(server, client);
            long before = switches(server) + switches(client);
            Map<String, Long> ownBefore = own(server, client);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            await().pollInterval(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> System.nanoTime() >= end);
            long switched = switches(server) + switches(client) - before;
            Map<String, Long> own = own(server, client);
            own.replaceAll((name, n) -> n - ownBefore.getOrDefault(name, 0L));
            assertTrue(sum(own) <= MOST_OWN, own::toString);
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

    private static long sum(Map<String, Long> switches) {
        return switches.values().stream().mapToLong(Long::longValue).sum();
    }

    /** What was started has ended, and what was busy has given back its memory. */
    private static void quiet(Child server, Child client) {
        long[] last = {Long.MAX_VALUE};
        long[] lastOwn = {Long.MAX_VALUE};
        await().pollInterval(Duration.ofSeconds(1))
                .atMost(Duration.ofSeconds(30))
                .until(
                        () -> {
                            long now = switches(server) + switches(client);
                            long grown = now - last[0];
                            last[0] = now;
                            long own = sum(own(server, client));
                            long grownOwn = own - lastOwn[0];
                            lastOwn[0] = own;
                            return grown >= 0
                                    && grown < CONNECTIONS / 2
                                    && grownOwn >= 0
                                    && grownOwn <= 4; // a look at each end, and one more
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

    /** Of the agent's threads at both ends, by name. */
    private static Map<String, Long> own(Child... children) throws IOException {
        Map<String, Long> own = new TreeMap<>();
        for (Child child : children) {
            try (var tasks = Files.list(Path.of("/proc/" + child.pid() + "/task"))) {
                for (Path task : tasks.toList()) {
                    String name = name(task);
                    if (name.startsWith("sdp4j")) {
                        own.merge(name + " of " + child.pid(), switches(task), Long::sum);
                    }
                }
            }
        }
        return own;
    }

    private static String name(Path task) {
        try {
            return Files.readString(task.resolve("comm")).strip();
        } catch (IOException ended) {
            return "";
        }
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

    private static Child start(Jvms jvms, boolean agent, List<String> options, String... args)
            throws Exception {
        return jvms.java(
                "IdleCrowd " + args[0],
                agent,
                options,
                Jvms.classPathOf(IdleCrowd.class),
                IdleCrowd.class.getName(),
                args);
    }
}
