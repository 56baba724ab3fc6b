package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Crowd;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: idle connections are cheap, and a JVM of 1 GiB holds 10,000 of them. Method: a serving JVM,
 * client JVMs as a descriptor limit of 20,000 allows (a client has two for each connection: the
 * Unix-domain socket and the kernel's socket that holds the port number), a byte each to and fro,
 * then nothing. Counted at both ends together: heap after garbage collection, pages of shared
 * memory that exist, page tables of both processes. The kernel's slabs (sockets, inodes, epoll
 * entries) cannot be told from those of other processes: their growth is printed, not judged.
 */
@Tag("alone")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrowdIT {
    private static final long BOUND_BYTES = 64 << 10;
    private static final Pattern KB = Pattern.compile("(\\d+) kB");

    @TempDir Path directory;

    @Test
    void anIdleConnectionIsCheap() throws Exception {
        hold(500, 1);
    }

    @Test
    @EnabledIfSystemProperty(named = "sdp4j.test.profile", matches = "deep")
    void tenThousandInOneGibibyte() throws Exception {
        hold(10_000, 2);
    }

    private void hold(int connections, int clients) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = start(jvms, "server");
            String port = server.await("READY");
            List<Child> all = new ArrayList<>(List.of(server));
            for (int i = 0; i < clients; i++) {
                Child client = start(jvms, "client", port);
                client.await("READY");
                all.add(client);
            }
            open(all, 10); // what a JVM's first connections load is not theirs
            Sum before = measure(all);
            open(all, connections / clients);
            Sum after = measure(all);
            long bytes = (after.counted() - before.counted()) / connections;
            assertTrue(bytes <= BOUND_BYTES, () -> told(connections, before, after));
            everyoneStillTalks(all);
            for (Child child : all) {
                child.endInput();
                assertEquals(0, child.exitCode(), child::toString);
            }
            assertEquals(connections + 10L * clients, server.report().acceptedOffloaded());
            assertEquals(0, server.report().acceptedKernel());
        }
    }

    private static Child start(Jvms jvms, String... args) throws IOException {
        return jvms.java(
                String.join(" ", args),
                true,
                List.of("-Xmx1g", "-XX:+UseSerialGC"),
                Jvms.classPathOf(Crowd.class),
                Crowd.class.getName(),
                args);
    }

    private static void open(List<Child> all, int each) throws Exception {
        Child server = all.getFirst();
        for (Child client : all.subList(1, all.size())) {
            server.tell("accept " + each);
            client.ask("open " + each);
            server.answer();
        }
    }

    private static void everyoneStillTalks(List<Child> all) throws Exception {
        for (String command : List.of("talk", "close")) {
            for (Child child : all) {
                child.tell(command);
            }
            for (Child child : all) {
                child.answer();
            }
        }
    }

    /** Bytes, summed over the processes. */
    private record Sum(long heap, long shared, long pageTables) {
        long counted() {
            return heap + shared + pageTables;
        }
    }

    private static Sum measure(List<Child> all) throws Exception {
        long heap = 0;
        long shared = 0;
        long pageTables = 0;
        for (Child child : all) {
            heap += Long.parseLong(child.ask("heap"));
            Path proc = Path.of("/proc", String.valueOf(child.pid()));
            shared += Proc.residentBytes(proc, "memfd:sdp4j");
            pageTables += bytes(proc.resolve("status"), "VmPTE:");
        }
        return new Sum(heap, shared, pageTables);
    }

    private static long bytes(Path file, String name) throws IOException {
        for (String line : Files.readAllLines(file)) {
            if (line.startsWith(name)) {
                return kb(line);
            }
        }
        throw new AssertionError("no " + name + " in " + file);
    }

    private static long kb(String line) {
        Matcher m = KB.matcher(line);
        assertTrue(m.find(), line);
        return Long.parseLong(m.group(1)) << 10;
    }

    private static String told(int connections, Sum before, Sum after) {
        return "%d idle connections; bytes each at both ends: %d heap, %d shared memory, %d page tables"
                .formatted(
                        connections,
                        (after.heap - before.heap) / connections,
                        (after.shared - before.shared) / connections,
                        (after.pageTables - before.pageTables) / connections);
    }
}
