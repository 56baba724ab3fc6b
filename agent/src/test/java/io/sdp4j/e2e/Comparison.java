package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.samples.StreamServer;
import io.sdp4j.testing.JvmCommand;
import io.sdp4j.testing.KeyStores;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server and its client in two JVMs, with the agent at no, both or one end: what the client
 * prints is compared with the run without, what the agents report with the ends.
 */
abstract class Comparison {
    /** By application, what its client printed on kernel TCP. */
    static final Map<String, Map<String, String>> EXPECTED = new ConcurrentHashMap<>();

    static final String SAMPLES = Jvms.classPathOf(StreamServer.class);

    private static byte[] keyStore; // guarded by EXPECTED

    @TempDir Path directory;
    Jvms jvms;

    @BeforeEach
    void open() throws IOException {
        jvms = new Jvms(directory);
    }

    @AfterEach
    void close() {
        jvms.close();
    }

    Child sample(boolean agent, Class<?> main, List<String> jvmArgs, String... args)
            throws IOException {
        return jvms.java(main.getSimpleName(), agent, jvmArgs, SAMPLES, main.getName(), args);
    }

    /** A server that prints its port after READY and a client; each as it would be run by hand. */
    interface Application {
        Child server(boolean agent) throws Exception;

        Child client(boolean agent, String port) throws Exception;

        /**
         * Visits the server from outside while it serves its client.
         *
         * @return how many connections that made
         */
        default int meanwhile(String port) throws Exception {
            return 0;
        }
    }

    private Map<String, String> run(Application application, Ends ends, boolean back)
            throws Exception {
        ends.use(jvms);
        Child server = application.server(ends.atServer);
        String port = server.await("READY");
        Child client = application.client(ends.atClient, port);
        int others = application.meanwhile(port);
        Map<String, String> results = client.resultsWithin(150);
        server.terminate();
        assertEquals(List.of(), client.err(), client::toString);
        ends.check(server, client, back, others);
        return results;
    }

    /** Compares with kernel TCP, which is run first if it has not been. */
    void same(String name, Application application, Ends ends, boolean back) throws Exception {
        Map<String, String> expected = EXPECTED.get(name);
        if (expected == null) {
            expected = run(application, Ends.NONE, back);
            EXPECTED.put(name, expected);
        }
        assertTrue(!expected.isEmpty(), "nothing to compare");
        if (ends != Ends.NONE) {
            assertEquals(new TreeMap<>(expected), new TreeMap<>(run(application, ends, back)));
        }
    }

    /**
     * A key store with a certificate for the loopback address; its password is {@value
     * KeyStores#PASSWORD}. Made once for all tests.
     */
    Path keys() throws Exception {
        Path keys = directory.resolve("keys.p12");
        synchronized (EXPECTED) {
            if (keyStore == null) {
                KeyStores.generate(keys);
                keyStore = Files.readAllBytes(keys);
            }
            return Files.write(keys, keyStore);
        }
    }

    /** The programs for the tests, and every library, but nothing else of this project. */
    static String programs() {
        String all = JvmCommand.testClassPath();
        String own = Jvms.classPathOf(Comparison.class);
        return Arrays.stream(all.split(File.pathSeparator))
                .filter(p -> p.endsWith(".jar") && !p.contains("sdp4j"))
                .filter(
                        p ->
                                !Path.of(p)
                                        .getFileName()
                                        .toString()
                                        .matches("(samples|bench|test-support).*"))
                .collect(Collectors.joining(File.pathSeparator, own + File.pathSeparator, ""));
    }
}
