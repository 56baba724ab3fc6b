package io.sdp4j.e2e;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.JsonReader;
import io.sdp4j.agent.trace.Tshark;
import io.sdp4j.e2e.programs.Holder;
import io.sdp4j.samples.EchoClient;
import io.sdp4j.samples.EchoServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the agent option records a real connection, and {@code sdp4j trace} and Wireshark tell it.
 * Method: two JVMs under the agent, each with a trace; the command line of the jar; tshark.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TraceIT {
    private static final List<String> NAMES =
            List.of("Hello", "HelloAck", "DisConn", "AbortConn", "Data");
    private static final List<Integer> MIDS = List.of(0x00, 0x01, 0x02, 0x03, 0xFF);

    @TempDir Path directory;

    private static List<String> traced(Path file, String... more) {
        List<String> options = new ArrayList<>();
        options.add("-Dsdp4j.trace=" + file);
        options.add("-Dsdp4j.trace.limit.mb=2");
        options.addAll(List.of(more));
        return options;
    }

    private static Child start(Jvms jvms, Class<?> program, List<String> options, String... args)
            throws Exception {
        return jvms.java(
                program.getSimpleName(),
                true,
                options,
                Jvms.classPathOf(program),
                program.getName(),
                args);
    }

    /** {@code sdp4j trace} with these words; what it prints. */
    private static List<String> trace(Jvms jvms, Object... words) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-jar", Jvms.agentJar().toString(), "trace"));
        for (Object word : words) {
            command.add(word.toString());
        }
        Child child = jvms.start("sdp4j trace", command, null);
        assertEquals(0, child.exitCode(), child::toString);
        assertEquals(List.of(), child.err());
        return child.out();
    }

    private static long count(List<String> lines, String arrow, String name) {
        String column = "  " + arrow + "  " + name + " ";
        return lines.stream().filter(line -> (line + " ").contains(column)).count();
    }

    private static Map<Integer, Integer> messages(List<String> lines) {
        Map<Integer, Integer> counts = new TreeMap<>();
        for (int i = 0; i < NAMES.size(); i++) {
            String name = NAMES.get(i);
            int count = (int) (count(lines, "->", name) + count(lines, "<-", name));
            if (count > 0) {
                counts.put(MIDS.get(i), count);
            }
        }
        return counts;
    }

    @Test
    void tellsARealConnection() throws Exception {
        Path atServer = directory.resolve("server-%p.trace");
        Path atClient = directory.resolve("client.trace");
        try (Jvms jvms = new Jvms(directory)) {
            jvms.direct();
            Child server = start(jvms, EchoServer.class, traced(atServer), "--connections", "1");
            String port = server.await("READY");
            Child client =
                    start(
                            jvms,
                            EchoClient.class,
                            traced(atClient, "-Dsdp4j.trace.payload.bytes=64"),
                            "--port",
                            port);
            assertEquals(0, client.exitCode(), client::toString);
            assertEquals(0, server.exitCode(), server::toString);
            assertEquals(1, client.report().offloaded());
            Path serverFile = directory.resolve("server-" + server.pid() + ".trace");

            List<String> here = trace(jvms, atClient);
            assertTrue(here.get(1).contains(" connected to 127.0.0.1:" + port), here::toString);
            assertEquals(1, count(here, "->", "Hello"), here::toString);
            assertEquals(1, count(here, "<-", "HelloAck"), here::toString);
            assertEquals(1, count(here, "->", "DisConn"), here::toString);
            assertEquals(1, count(here, "<-", "DisConn"), here::toString);
            assertTrue(count(here, "->", "Data") >= 3, here::toString);
            assertTrue(count(here, "<-", "Data") >= 3, here::toString);
            assertTrue(
                    here.toString().contains("68656c6c6f20310a"), "hello 1, which was asked for");

            List<String> there = trace(jvms, serverFile);
            assertTrue(there.get(1).contains(" accepted from 127.0.0.1:"), there::toString);
            assertEquals(1, count(there, "<-", "Hello"), there::toString);
            assertEquals(1, count(there, "->", "HelloAck"), there::toString);
            assertEquals(count(here, "->", "Data"), count(there, "<-", "Data"), there::toString);
            assertEquals(count(here, "<-", "Data"), count(there, "->", "Data"), there::toString);
            assertFalse(there.toString().contains("68656c6c6f"), "payload was not asked for");

            String json = String.join("", trace(jvms, "--json", serverFile));
            Map<?, ?> facts = (Map<?, ?>) JsonReader.parse(json);
            assertEquals(server.pid(), facts.get("process"));
            assertTrue(json.contains("\"name\":\"HelloAck\""), json);

            String diagram = String.join("\n", trace(jvms, "--diagram", serverFile));
            assertTrue(diagram.startsWith("sequenceDiagram\n"), diagram);
            assertTrue(diagram.contains("A->>B: Hello ("), diagram);

            tsharkAgrees(jvms, atClient, here);
            tsharkAgrees(jvms, serverFile, there);
        }
    }

    private void tsharkAgrees(Jvms jvms, Path trace, List<String> lines) throws Exception {
        Tshark.need();
        Path frames = directory.resolve("out.pcapng");
        String said = trace(jvms, "--pcapng", frames, trace).getFirst();
        Map<Integer, Integer> expected = messages(lines);
        int all = expected.values().stream().mapToInt(n -> n).sum();
        assertTrue(said.endsWith(" frames, " + all + " SDP messages"), said);
        assertEquals(new Tshark.Seen(expected, List.of()), Tshark.look(frames), lines::toString);
    }

    /** The trace of a crashed process is the one that is needed most. */
    @Test
    void isReadableAfterAKill() throws Exception {
        Path atServer = directory.resolve("server.trace");
        try (Jvms jvms = new Jvms(directory)) {
            Child server = start(jvms, Holder.class, traced(atServer), "server", "connected");
            String port = server.await("READY");
            Child client = start(jvms, Holder.class, List.of(), "client", "connected", port);
            server.await("UP");
            client.await("UP");
            // the last thing that an end which was accepted does to move
            await().until(() -> count(trace(jvms, atServer), "->", "Data") == 1);
            List<String> running = trace(jvms, atServer);
            server.kill();
            List<String> dead = trace(jvms, atServer);
            assertEquals(running, dead, "nothing was in a buffer");
            assertEquals(1, count(dead, "<-", "Hello"), dead::toString);
            assertEquals(1, count(dead, "->", "Data"), dead::toString);
            assertEquals(1, count(dead, "<-", "Data"), dead::toString);
        }
    }

    @Test
    void leavesNothingWhenOff() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = start(jvms, EchoServer.class, List.of(), "--connections", "1");
            Child client =
                    start(jvms, EchoClient.class, List.of(), "--port", server.await("READY"));
            assertEquals(0, client.exitCode(), client::toString);
            assertEquals(0, server.exitCode(), server::toString);
        }
        try (Stream<Path> files = Files.list(directory)) {
            assertEquals(
                    List.of(),
                    files.map(f -> f.getFileName().toString())
                            .filter(f -> !f.startsWith("report-") && !f.equals("both.conf"))
                            .toList());
        }
    }
}
