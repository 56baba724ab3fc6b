package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.sdp4j.e2e.programs.IdleCrowd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: unused connections cost no wake-up. Method: the context switches of all threads of both
 * processes, counted by the kernel, beside the same on kernel TCP at the same time.
 */
@Tag("alone")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleIT {
    private static final int CONNECTIONS = 100;
    private static final int SECONDS = 5;

    /** A JVM's own share: half a switch for each end. */
    private static final int SLACK = 100;

    /** Limit for our threads at both ends: less than a look every second at each. */
    private static final int MOST_OWN = 2 * SECONDS - 2;

    @TempDir Path directory;

    /** How connections of a crowd are offloaded. */
    private enum Way {
        DIRECT,
        BY_MOVING
    }

    static List<Arguments> crowds() {
        return List.of(
                arguments("platform", List.of(Way.DIRECT, Way.BY_MOVING)),
                arguments("virtual", List.of(Way.DIRECT)),
                arguments("selector", List.of(Way.DIRECT, Way.BY_MOVING)),
                arguments("async", List.of(Way.DIRECT)));
    }

    @ParameterizedTest
    @MethodSource("crowds")
    @DisplayName("62: idle connections cost no processor time")
    void idleConnectionsWakeNoThread(String who, List<Way> ways) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Crowd kernel = new Crowd(jvms, who, null);
            List<Crowd> all = new ArrayList<>(List.of(kernel));
            for (Way way : ways) {
                all.add(new Crowd(jvms, who, way));
            }
            for (Crowd crowd : all) {
                crowd.connect();
            }
            for (Crowd crowd : all) {
                crowd.quiet();
            }
            all.forEach(Crowd::begin);
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            await().pollInterval(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> System.nanoTime() >= end);
            all.forEach(Crowd::end);
            for (Crowd crowd : all) {
                assertTrue(
                        crowd.switched <= kernel.switched + 2 * SECONDS + SLACK,
                        crowd + ": " + crowd.switched + ", kernel " + kernel.switched);
                assertTrue(sum(crowd.own) <= MOST_OWN, crowd + ": " + crowd.own);
                crowd.close();
            }
        }
    }

    /** Two processes with unused connections; counts what happens between two calls. */
    private static final class Crowd {
        private final Jvms jvms;
        private final String who;
        private final Way way; // null = by TCP, without the agent
        private final Child server;
        private Child client;
        private long switched;
        private Map<String, Long> own;

        Crowd(Jvms jvms, String who, Way way) throws Exception {
            this.jvms = jvms;
            this.who = who;
            this.way = way;
            server = start("server", who, "" + CONNECTIONS);
        }

        private Child start(String... args) throws Exception {
            if (way == Way.DIRECT) {
                jvms.direct();
            } else {
                jvms.upgrade("connect");
            }
            return jvms.java(
                    "IdleCrowd " + args[0],
                    way != null,
                    List.of(),
                    Jvms.classPathOf(IdleCrowd.class),
                    IdleCrowd.class.getName(),
                    args);
        }

        void connect() throws Exception {
            client = start("client", who, "" + CONNECTIONS, server.await("READY"));
        }

        /** Started connections have ended, and busy ones have given back their memory. */
        void quiet() throws Exception {
            server.await("UP");
            client.await("UP");
            long[] last = {Long.MAX_VALUE};
            long[] lastOwn = {Long.MAX_VALUE};
            await().pollInterval(Duration.ofSeconds(1))
                    .atMost(Duration.ofSeconds(30))
                    .until(
                            () -> {
                                long now = switches(server) + switches(client);
                                long grown = now - last[0];
                                last[0] = now;
                                long ours = sum(own(server, client));
                                long grownOwn = ours - lastOwn[0];
                                lastOwn[0] = ours;
                                return grown >= 0
                                        && grown < CONNECTIONS / 2
                                        && grownOwn >= 0
                                        && grownOwn <= 4; // a look at each end, and one more
                            });
        }

        void begin() {
            switched = -switches(server) - switches(client);
            own = own(server, client);
        }

        void end() {
            switched += switches(server) + switches(client);
            Map<String, Long> before = own;
            own = own(server, client);
            own.replaceAll((name, n) -> n - before.getOrDefault(name, 0L));
        }

        void close() throws Exception {
            server.endInput();
            client.endInput();
            assertEquals(0, server.exitCode(), server::toString);
            client.exitCode();
            if (way != null) {
                assertEquals(CONNECTIONS, server.report().acceptedOffloaded());
            }
        }

        @Override
        public String toString() {
            return "context switches, " + (way == null ? "kernel" : way.toString());
        }
    }

    private static long sum(Map<String, Long> switches) {
        return switches.values().stream().mapToLong(Long::longValue).sum();
    }

    private static long switches(Child child) {
        return tasks(child).stream().mapToLong(IdleIT::switches).sum();
    }

    private static List<Path> tasks(Child child) {
        try (var tasks = Files.list(Path.of("/proc/" + child.pid() + "/task"))) {
            return tasks.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the agent's threads at both ends, by name. */
    private static Map<String, Long> own(Child... children) {
        Map<String, Long> own = new TreeMap<>();
        for (Child child : children) {
            for (Path task : tasks(child)) {
                String name = name(task);
                if (name.startsWith("sdp4j")) {
                    own.merge(name + " of " + child.pid(), switches(task), Long::sum);
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
}
