package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Descriptors;
import io.sdp4j.e2e.programs.FullAccept;
import io.sdp4j.e2e.programs.IdleCrowd;
import io.sdp4j.e2e.programs.Many;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a search for the descriptor of a socket finds what docs/descriptors.md says, row by row; a
 * connection has as many as docs/performance.md says; and a program whose connections fit into
 * {@code ulimit -n} on TCP fits with the agent. Method: JVMs of their own, with few descriptors.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DescriptorsIT {
    private static final String NO_FIELD = "NoSuchFieldException";

    @TempDir Path directory;

    private Map<String, String> look(Path rules) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            List<String> open = new ArrayList<>();
            for (String name : List.of("java.io", "java.net", "sun.nio.ch")) {
                open.addAll(List.of("--add-opens", "java.base/" + name + "=ALL-UNNAMED"));
            }
            String classes = Jvms.classPathOf(Descriptors.class);
            return jvms.java("looks", rules, open, classes, Descriptors.class.getName()).results();
        }
    }

    @Test
    @DisplayName("87: on the kernel's path they are the JDK's; a listener tells which queue it is")
    void onTheKernel() throws Exception {
        Map<String, String> expected = new HashMap<>(look(null));
        assertEquals("TCP", expected.get("socket.getFileDescriptor"));
        assertEquals("TCP", expected.get("channel.fd"));
        expected.put("listenerChannel.fd", NO_FIELD);
        expected.put("acceptedChannel.fd", NO_FIELD);
        expected.put("listenerChannel.getFDVal", "anon_inode:[eventpoll]");
        try (Jvms jvms = new Jvms(directory)) {
            String rules = "use tcp client * *:*\nuse both server * *:*\n";
            assertEquals(expected, look(jvms.rules("client-tcp.conf", rules)));
        }
    }

    @Test
    @DisplayName("87: an offloaded connection has none, and that is said")
    void offloaded() throws Exception {
        Map<String, String> found;
        try (Jvms jvms = new Jvms(directory)) {
            jvms.direct();
            found = look(jvms.rules());
        }
        for (String way :
                List.of(
                        "socket.getFileDescriptor",
                        "accepted.getFileDescriptor",
                        "acceptedChannel.getFDVal")) {
            String said = found.get(way);
            assertTrue(said.startsWith("UnsupportedOperationException: "), way + ": " + said);
            assertTrue(said.contains("is offloaded"), way + ": " + said);
            assertTrue(said.contains("'use tcp'"), way + ": " + said);
        }
        assertEquals("TCP", found.get("listener.getFileDescriptor"));
        assertEquals("TCP", found.get("listener.impl.fd"));
        assertEquals("null", found.get("socket.impl.fd"));
        assertEquals("invalid", found.get("accepted.impl.fd"));
        assertEquals("ClassCastException", found.get("stream.getFD"));
        for (String way :
                List.of(
                        "channel.fd",
                        "acceptedChannel.fd",
                        "listenerChannel.fd",
                        "async.fd",
                        "acceptedAsync.fd")) {
            assertEquals(NO_FIELD, found.get(way), way);
        }
        assertEquals("anon_inode:[eventpoll]", found.get("listenerChannel.getFDVal"));
    }

    @ParameterizedTest
    @CsvSource({
        "server,    256, 150, auto",
        "server,    256, 150, connect",
        "server,    256, 230, auto",
        "server,    256, 230, connect",
        "selector, 1024, 900, auto",
        "selector, 1024, 900, connect"
    })
    @DisplayName("what fits into the limit of descriptors on TCP fits with the agent")
    void fits(String server, int limit, int connections, String upgrade) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade(upgrade);
            jvms.descriptors(limit);
            Child serving = start(jvms, Many.class, server);
            Child client =
                    start(jvms, Many.class, "client", serving.await("READY"), "" + connections);
            boolean some = upgrade.equals("connect");
            client.await("ONE");
            await().until(() -> !some || moves(client) > 0);
            client.tell("");
            client.await("ALL");
            await().until(() -> !some || logged(client, "reason MEMORY"));
            client.endInput();
            assertEquals("" + connections, client.results().get("connections"), client::toString);
            assertEquals(some, client.report().offloaded() > 0, client::toString);
            long told = client.err().stream().filter(l -> l.contains("reason MEMORY")).count();
            assertEquals(some ? 1 : 0, told, client::toString);
        }
    }

    /** The connection waits on, as on TCP. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("an accept that finds no descriptor left leaves the connection to the next one")
    void anAcceptWithoutADescriptorTakesNothing(boolean agent) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.direct();
            jvms.descriptors(1024);
            String classes = Jvms.classPathOf(FullAccept.class);
            String main = FullAccept.class.getName();
            Child child = jvms.java("accepts", agent, List.of(), classes, main);
            assertEquals(
                    Map.of("full", "fails fails", "read", "42"), child.results(), child::toString);
            if (agent) {
                assertEquals(2, child.report().acceptedOffloaded(), child::toString);
            }
        }
    }

    private static boolean logged(Child child, String what) {
        return child.err().stream().anyMatch(line -> line.contains(what));
    }

    private static long moves(Child child) {
        return child.err().stream().filter(line -> line.contains(" leaves TCP ")).count();
    }

    /**
     * More connections than descriptors of any kind that the JVM has for itself, so that dividing
     * by them finds what each costs.
     */
    private static final int COUNTED = 60;

    private static final Path TABLE = Path.of("..", "docs", "performance.md");

    @ParameterizedTest
    @CsvSource({
        "platform, direct,  blocking socket",
        "platform, connect, blocking socket",
        "platform, auto,    ''",
        "channel,  direct,  blocking channel",
        "channel,  connect, blocking channel",
        "channel,  auto,    ''",
        "selector, direct,  channel in a selector",
        "selector, connect, channel in a selector",
        "selector, auto,    ''",
        "async,    direct,  asynchronous channel"
    })
    @DisplayName("an idle connection has as many descriptors as docs/performance.md says")
    void eachCosts(String who, String upgrade, String row) throws Exception {
        boolean offloaded = !row.isEmpty();
        String server = "1";
        String client = "1";
        if (offloaded) {
            String[] cells = row(row);
            int column = upgrade.equals("direct") ? 2 : 4;
            server = cells[column];
            client = cells[column + 1];
        }
        try (Jvms jvms = new Jvms(directory)) {
            if (upgrade.equals("direct")) {
                jvms.direct();
            } else {
                jvms.upgrade(upgrade);
            }
            Child serving = start(jvms, IdleCrowd.class, "server", who, "" + COUNTED);
            Child calling =
                    start(
                            jvms,
                            IdleCrowd.class,
                            "client",
                            who,
                            "" + COUNTED,
                            serving.await("READY"));
            int moves = offloaded && upgrade.equals("connect") ? COUNTED : 0;
            awaitCost(serving, server, moves);
            awaitCost(calling, client, moves);
            for (Child child : List.of(serving, calling)) {
                child.endInput();
                assertEquals(0, child.exitCode(), child::toString);
            }
            int moved = offloaded ? COUNTED : 0;
            assertEquals(moved, serving.report().acceptedOffloaded(), serving::toString);
            assertEquals(moved, calling.report().offloaded(), calling::toString);
        }
    }

    /** The table's row of that name, from its second bar on. */
    private static String[] row(String name) throws IOException {
        String row =
                Files.readAllLines(TABLE).stream()
                        .filter(line -> line.startsWith("| " + name + " |"))
                        .findFirst()
                        .orElseThrow();
        return row.split(" *\\| *", -1);
    }

    private static void awaitCost(Child child, String expected, int moves) throws Exception {
        child.await("UP");
        await().atMost(Duration.ofSeconds(20)) // what moves leaves something behind for a moment
                .untilAsserted(
                        () -> {
                            assertEquals(moves, moves(child), child::toString);
                            assertEquals(expected, cost(child), child::toString);
                        });
    }

    /** Of each connection: the sockets, and what is not one. */
    private static String cost(Child child) throws IOException {
        int sockets = 0;
        int others = 0;
        try (var all = Files.list(Path.of("/proc/" + child.pid() + "/fd"))) {
            for (Path descriptor : all.toList()) {
                String what = target(descriptor);
                sockets += what.startsWith("socket:") ? 1 : 0;
                others += what.startsWith("anon_inode:") ? 1 : 0;
            }
        }
        int each = others / COUNTED;
        return sockets / COUNTED + (each == 0 ? "" : " + " + each);
    }

    private static String target(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (IOException e) {
            return ""; // closed meanwhile
        }
    }

    private static Child start(Jvms jvms, Class<?> program, String... args) throws Exception {
        return jvms.java(
                String.join(" ", args),
                true,
                List.of("-Dsdp4j.log.level=debug"),
                Jvms.classPathOf(program),
                program.getName(),
                args);
    }
}
