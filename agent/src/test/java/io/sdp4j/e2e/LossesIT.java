package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.e2e.programs.Chatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: where connections begin on TCP, too, the operator reads once in each process that offload
 * was expected and is lost, why, and what to do. Method: two connections, one after the other,
 * which would move, in JVMs of which one lacks something.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LossesIT {
    private static final String CONNECTIONS = "2";

    /** An option that changes nothing here. */
    private static final String SMALL = "-XX:+UseSerialGC";

    /** A JVM has more open than its eighth of these. */
    private static final int FEW = 64;

    /** Enough for a report, too little for the memory of a connection. */
    private static final String[] SMALL_FILES = {"sh", "-c", "ulimit -f 1000; exec \"$@\"", "-"};

    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource({
        "client, shm.dir,       client, UNAVAILABLE, doctor",
        "server, shm.dir,       server, UNAVAILABLE, doctor",
        "client, memory.max.mb, client, MEMORY,      sdp4j.memory.max.mb",
        "server, memory.max.mb, both,   MEMORY,      sdp4j.memory.max.mb",
        "client, descriptors,   client, MEMORY,      ulimit -n",
        "server, descriptors,   both,   MEMORY,      ulimit -n",
        "server, file sizes,    both,   MEMORY,      ulimit -f",
        "client, buffers,       client, BUFFERS,     sdp4j.buffers.count",
        "server, buffers,       client, BUFFERS,     sdp4j.buffers.count",
        "none,   '',            none,   '',          ''"
    })
    @DisplayName("what the operator can mend is told once")
    void isToldOnce(String where, String lacks, String tells, String reason, String advice)
            throws Exception {
        Path file = Files.writeString(directory.resolve("place"), "not a directory");
        String broken =
                switch (lacks) {
                    case "shm.dir" -> "-Dsdp4j.shm.dir=" + file;
                    case "memory.max.mb" -> "-Dsdp4j.memory.max.mb=1";
                    case "buffers" -> "@buffers";
                    default -> SMALL;
                };
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade("1");
            jvms.descriptors(lacks.equals("descriptors") && where.equals("server") ? FEW : 0);
            jvms.under(lacks.equals("file sizes") ? SMALL_FILES : new String[0]);
            Child server = start(jvms, where.equals("server") ? broken : SMALL, "server");
            jvms.descriptors(lacks.equals("descriptors") && where.equals("client") ? FEW : 0);
            jvms.under();
            boolean serverTells = tells.equals("server") || tells.equals("both");
            boolean clientTells = tells.equals("client") || tells.equals("both");
            String option = where.equals("client") ? broken : SMALL;
            Child client = connect(jvms, server, option, serverTells, clientTells);
            assertTold(server, serverTells, reason, advice);
            assertTold(client, clientTells, reason, advice);
            if (lacks.equals("file sizes")) { // which limit it was, beside all that there are
                assertTold(server, true, reason, "larger than files may be (ulimit -f)");
            }
            if (where.equals("none")) {
                assertEquals(2, client.report().offloaded(), () -> client + text(client));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1,       server, setpriv --reuid=65534 --regid=65534 --clear-groups, user 65534",
        "connect, server, setpriv --reuid=65534 --regid=65534 --clear-groups, user 65534",
        "1,       client, unshare --pid --fork --kill-child, PID namespace",
        "connect, client, unshare --pid --fork --kill-child, PID namespace"
    })
    @DisplayName("a server of another user, or of another PID namespace, is told of once")
    void aStrangeServerIsToldOfOnce(String upgrade, String where, String under, String detail)
            throws Exception {
        String[] stranger = under.split(" ", -1);
        List<String> look = new ArrayList<>(List.of(stranger));
        look.addAll(List.of("test", "-r", Jvms.agentJar().toString()));
        assumeTrue(
                new ProcessBuilder(look).start().waitFor() == 0,
                "needs root, to start a JVM under " + under);
        Path meeting = Files.createDirectory(directory.resolve("meeting"));
        for (Path open : List.of(directory, meeting)) { // for a report, and for a directory
            Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        String place = "-Dsdp4j.shm.dir=" + meeting;
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade(upgrade);
            jvms.under(where.equals("server") ? stranger : new String[0]);
            Child server = start(jvms, place, "server");
            jvms.under(where.equals("client") ? stranger : new String[0]);
            Child client = connect(jvms, server, place, false, true);
            assertTold(server, false, "UID", detail);
            assertTold(client, true, "UID", detail);
            assertEquals(0, client.report().offloaded(), () -> text(client));
        }
    }

    /** Lets a client talk until everything that is to be told was; where nothing is, longer. */
    private static Child connect(
            Jvms jvms, Child server, String option, boolean serverTells, boolean clientTells)
            throws Exception {
        String seconds = serverTells || clientTells ? "1" : "3";
        Child client = start(jvms, option, "client", server.await("READY"), CONNECTIONS, seconds);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .until(
                        () ->
                                (!serverTells || !told(server).isEmpty())
                                        && (!clientTells || !told(client).isEmpty()));
        client.endInput();
        client.results();
        assertEquals(0, server.exitCode(), server::toString);
        return client;
    }

    /** It asks a peer again, as that may only be starting; debug tells of it at once. */
    @Test
    @DisplayName("why a connection is still on TCP is told to the log before it stays for good")
    void debugTellsWhyItIsStillOnTcp() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            jvms.upgrade("1");
            Child server =
                    jvms.java(
                            "Chatter server",
                            null,
                            List.of(),
                            Jvms.classPathOf(Chatter.class),
                            Chatter.class.getName(),
                            "server",
                            "1");
            String port = server.await("READY");
            Child client = start(jvms, "-Dsdp4j.log.level=debug", "client", port, "1", "0");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> said(client, "stays on TCP until it asks again: "));
            assertFalse(said(client, "stays on TCP: "), client::toString);
            client.endInput();
            client.results();
        }
    }

    private static boolean said(Child child, String words) {
        return child.err().stream().anyMatch(line -> line.contains(words));
    }

    private static void assertTold(Child child, boolean tells, String reason, String what) {
        List<String> told = told(child);
        assertEquals(tells ? 1 : 0, told.size(), child::toString);
        if (tells) {
            assertTrue(told.getFirst().contains(what), child::toString);
            assertTrue(told.getFirst().contains("reason " + reason), child::toString);
        }
    }

    private static List<String> told(Child child) {
        return child.err().stream().filter(line -> line.contains("told once")).toList();
    }

    private static String text(Child child) {
        try {
            return child.report().text();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static Child start(Jvms jvms, String option, String... args) throws Exception {
        return jvms.java(
                "Chatter " + args[0],
                jvms.rules(),
                option.equals("@buffers")
                        ? List.of(
                                "-XX:ActiveProcessorCount=2",
                                "-Dsdp4j.buffers.count=64",
                                "-Dsdp4j.buffers.bytes=1048576")
                        : List.of("-XX:ActiveProcessorCount=2", option),
                Jvms.classPathOf(Chatter.class),
                Chatter.class.getName(),
                args.length == 1 ? new String[] {args[0], CONNECTIONS} : args);
    }
}
