package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Casts;
import io.sdp4j.samples.HttpsClient;
import io.sdp4j.samples.HttpsServer;
import io.sdp4j.samples.JdbcWorkload;
import io.sdp4j.samples.RmiClient;
import io.sdp4j.samples.RmiServer;
import io.sdp4j.samples.StreamClient;
import io.sdp4j.samples.StreamServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: an application's results do not depend on the agent, and its connections go where they
 * should. Method: a server and its client in two JVMs with the agent at no, both or one end; what
 * the client prints is compared with the run without, what the agents report with the ends.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ApplicationsIT extends Comparison {
    /** By JGroups stack, the median time of a burst on kernel TCP. */
    private static final Map<String, Long> KERNEL_MILLIS = new ConcurrentHashMap<>();

    private static final String SAMPLES = Jvms.classPathOf(StreamServer.class);

    private Child sample(boolean agent, Class<?> main, List<String> jvmArgs, String... args)
            throws IOException {
        return jvms.java(main.getSimpleName(), agent, jvmArgs, SAMPLES, main.getName(), args);
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("76: a JDBC driver and its server")
    void h2(Ends ends) throws Exception {
        String h2 = Jvms.classPathOf(org.h2.Driver.class);
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return jvms.java(
                                "H2 server",
                                agent,
                                List.of(),
                                h2 + File.pathSeparator + Jvms.classPathOf(H2Server.class),
                                H2Server.class.getName(),
                                "-ifNotExists",
                                "-baseDir",
                                directory.toString());
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return jvms.java(
                                "H2 client",
                                agent,
                                List.of(),
                                h2 + File.pathSeparator + SAMPLES,
                                JdbcWorkload.class.getName(),
                                "--url",
                                "jdbc:h2:tcp://127.0.0.1:" + port + "/mem:e2e",
                                "--user",
                                "sa",
                                "--rows",
                                "10000");
                    }
                };
        same("h2", application, ends, false);
        assertEquals("10000", EXPECTED.get("h2").get("inserted"));
        assertEquals("true", EXPECTED.get("h2").get("complete"));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("34: RMI, with calls back")
    void rmi(Ends ends) throws Exception {
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return sample(agent, RmiServer.class, List.of());
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return sample(agent, RmiClient.class, List.of(), "--port", port);
                    }
                };
        same("rmi", application, ends, true);
        assertEquals("4950", EXPECTED.get("rmi").get("called_back"));
    }

    /** Also 100 MB of TLS in each direction. */
    @ParameterizedTest
    @EnumSource
    @DisplayName("33: TLS, 100 MB each way")
    void https(Ends ends) throws Exception {
        Path keys = keys();
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return sample(
                                agent,
                                HttpsServer.class,
                                List.of(),
                                "--keystore",
                                keys.toString(),
                                "--password",
                                "changeit");
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return sample(
                                agent,
                                HttpsClient.class,
                                List.of(
                                        "-Djavax.net.ssl.trustStore=" + keys,
                                        "-Djavax.net.ssl.trustStorePassword=changeit"),
                                "--port",
                                port,
                                "--large",
                                "100000000");
                    }
                };
        same("https", application, ends, false);
        assertEquals("true", EXPECTED.get("https").get("post_correct"));
    }

    /**
     * Beside what is right, how long a burst takes: a channel that takes less than TCP's makes the
     * stack that does not block send again what it has dropped, half a second later.
     */
    @ParameterizedTest
    @EnumSource
    @DisplayName("76, 99: JGroups, blocking and non-blocking, casts in bursts")
    void jgroups(Ends ends) throws Exception {
        String classes =
                Jvms.classPathOf(Casts.class)
                        + File.pathSeparator
                        + Jvms.classPathOf(org.jgroups.JChannel.class);
        // it warns of a machine that has no address but the loopback one
        Path logging = directory.resolve("logging.properties");
        Files.writeString(
                logging, "handlers=java.util.logging.ConsoleHandler\norg.jgroups.level=SEVERE\n");
        List<String> options = List.of("-Djava.util.logging.config.file=" + logging);
        Path time = directory.resolve("time");
        for (String stack : List.of("TCP", "TCP_NIO2")) {
            Application application =
                    new Application() {
                        @Override
                        public Child server(boolean agent) throws Exception {
                            return casts(agent, stack);
                        }

                        @Override
                        public Child client(boolean agent, String port) throws Exception {
                            return casts(agent, stack, port, "9", time.toString());
                        }

                        private Child casts(boolean agent, String... args) throws IOException {
                            String main = Casts.class.getName();
                            return jvms.java("JGroups", agent, options, classes, main, args);
                        }
                    };
            same(stack, application, Ends.NONE, false);
            if (Files.exists(time)) {
                KERNEL_MILLIS.put(stack, Long.valueOf(Files.readString(time)));
            }
            same(stack, application, ends, false);
            assertEquals(
                    Map.of("members", "2", "casts", "2700", "right", "true"), EXPECTED.get(stack));
            if (ends == Ends.BOTH) {
                long kernel = KERNEL_MILLIS.get(stack);
                long millis = Long.parseLong(Files.readString(time));
                assertTrue(
                        millis < 4 * kernel + 200,
                        () -> stack + ": " + millis + " ms for a burst, TCP " + kernel);
            }
            Files.deleteIfExists(time);
        }
    }

    @ParameterizedTest
    @EnumSource
    void stream(Ends ends) throws Exception {
        jvms.upgrade(ends.upgrade());
        Child server = sample(ends.atServer, StreamServer.class, List.of());
        Child client =
                sample(
                        ends.atClient,
                        StreamClient.class,
                        List.of(),
                        "--port",
                        server.await("READY"),
                        "--seconds",
                        "0.3",
                        "--warmup",
                        "0.2",
                        "--bytes",
                        "20000001");
        Map<String, String> sent = client.results();
        Map<String, String> served = server.results();
        assertEquals("true", sent.get("verified"));
        assertEquals(sent.get("sha256_sent"), served.get("sha256_received"));
        assertEquals(sent.get("sha256_received"), served.get("sha256_sent"));
        ends.check(server, client, false);
        String expected =
                EXPECTED.computeIfAbsent("stream", name -> Map.of("sha", sent.get("sha256_sent")))
                        .get("sha");
        assertEquals(expected, sent.get("sha256_sent"));
    }
}
