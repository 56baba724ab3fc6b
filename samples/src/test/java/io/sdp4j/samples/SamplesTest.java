package io.sdp4j.samples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.testing.JvmCommand;
import io.sdp4j.testing.KeyStores;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: every sample works over kernel TCP and says so in its output. Method: each runs as its
 * users run it, in a JVM of its own.
 */
@Timeout(
        value = 60,
        threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // a pipe read ignores interrupts
class SamplesTest {
    private final List<Process> started = new ArrayList<>();

    @AfterEach
    void killLeftovers() throws InterruptedException {
        for (Process process : started) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void streamPairMeasuresAndChecksEveryByte() throws Exception {
        Process server = start(List.of(), StreamServer.class);
        String port = readyPort(server);
        Map<String, String> client =
                results(
                        start(
                                List.of(),
                                StreamClient.class,
                                "--port",
                                port,
                                "--rounds",
                                "2000",
                                "--seconds",
                                "0.2",
                                "--warmup",
                                "0.1",
                                "--bytes",
                                "1000003"));
        Map<String, String> served = results(server);
        assertEquals("true", client.get("verified"));
        assertEquals("2000006", client.get("bytes"));
        assertEquals(client.get("sha256_sent"), served.get("sha256_received"));
        assertEquals(client.get("sha256_received"), served.get("sha256_sent"));
        assertEquals(64, client.get("sha256_sent").length());
        assertTrue(Long.parseLong(client.get("rtt_p50_ns")) > 0);
        assertTrue(
                Long.parseLong(client.get("rtt_p99_ns"))
                        >= Long.parseLong(client.get("rtt_p50_ns")));
        assertTrue(Double.parseDouble(client.get("mb_per_s")) > 0);
        assertTrue(Double.parseDouble(client.get("cpu_seconds")) > 0);
        assertTrue(Double.parseDouble(served.get("cpu_seconds")) > 0);
    }

    @Test
    void echoGivesBackEachLine() throws Exception {
        Process server = start(List.of(), EchoServer.class, "--connections", "1");
        Process client =
                start(List.of(), EchoClient.class, "--port", readyPort(server), "--lines", "2");
        assertEquals(List.of("hello 1", "hello 2", "end of stream"), lines(client));
        assertEquals(List.of(), lines(server));
    }

    @Test
    void rmiCallsAndCallsBack() throws Exception {
        Process server = start(List.of(), RmiServer.class);
        Map<String, String> client =
                results(
                        start(
                                List.of(),
                                RmiClient.class,
                                "--port",
                                readyPort(server),
                                "--calls",
                                "10"));
        assertEquals(
                Map.of(
                        "small_calls_total",
                        "55",
                        "large_call",
                        "4999950000",
                        "called_back",
                        "4950",
                        "failure",
                        "as asked"),
                client);
        results(server);
    }

    @Test
    void httpsServesItsClient(@TempDir Path dir) throws Exception {
        Path store = dir.resolve("keys.p12");
        KeyStores.generate(store);
        Process server =
                start(
                        List.of(),
                        HttpsServer.class,
                        "--keystore",
                        store.toString(),
                        "--password",
                        "changeit");
        Map<String, String> client =
                results(
                        start(
                                List.of(
                                        "-Djavax.net.ssl.trustStore=" + store,
                                        "-Djavax.net.ssl.trustStorePassword=changeit"),
                                HttpsClient.class,
                                "--port",
                                readyPort(server),
                                "--requests",
                                "5"));
        assertEquals("true", client.get("post_correct"));
        assertEquals("404", client.get("missing"));
        assertEquals("stopping", client.get("stop"));
        results(server);
    }

    @Test
    void optionsNameTheMistake() {
        List<String> known = List.of("port", "host");
        assertEquals(5, Options.read(new String[] {"--port", "5"}, known).number("port", 1));
        assertEquals(1, Options.read(new String[0], known).number("port", 1));
        IllegalArgumentException unknown =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Options.read(new String[] {"--prot", "5"}, known));
        assertEquals("unknown option --prot; known: --port, --host", unknown.getMessage());
        IllegalArgumentException missing =
                assertThrows(
                        IllegalArgumentException.class,
                        () -> Options.read(new String[] {"--port"}, known));
        assertEquals("option --port needs a value", missing.getMessage());
    }

    private Process start(List<String> jvmArgs, Class<?> main, String... args) throws IOException {
        Process process =
                JvmCommand.of(main, args)
                        .options("-Xmx256m")
                        .options(jvmArgs.toArray(String[]::new))
                        .builder()
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        started.add(process);
        return process;
    }

    private static String readyPort(Process server) throws IOException {
        BufferedReader out = server.inputReader(UTF_8);
        String line = out.readLine();
        assertTrue(line != null && line.startsWith("READY "), "no READY line: " + line);
        return line.substring(6);
    }

    private static List<String> lines(Process process) throws Exception {
        List<String> lines = process.inputReader(UTF_8).lines().toList();
        assertTrue(process.waitFor(10, TimeUnit.SECONDS), "does not end");
        assertEquals(0, process.exitValue());
        return lines;
    }

    private static Map<String, String> results(Process process) throws Exception {
        Map<String, String> results = new HashMap<>();
        for (String line : lines(process)) {
            String[] pair = line.split("=", 2);
            results.put(pair[0], pair[1]);
        }
        return results;
    }
}
