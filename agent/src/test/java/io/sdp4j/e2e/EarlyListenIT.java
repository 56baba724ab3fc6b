package io.sdp4j.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.Accepting;
import io.sdp4j.e2e.programs.ChangedRules;
import io.sdp4j.e2e.programs.EarlyListener;
import io.sdp4j.e2e.programs.EarlyServer;
import io.sdp4j.e2e.programs.EarlyStreams;
import io.sdp4j.e2e.programs.Hurried;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a server listens and accepts without waiting for the switch, and cannot tell its listeners
 * from the JDK's own; once the switch is there it goes on with them. Method: a program that keeps
 * the switch from starting for a while.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EarlyListenIT {
    private static final List<String> AUTO =
            List.of("-Dsdp4j.upgrade=auto", "-XX:ActiveProcessorCount=2");

    @TempDir Path directory;

    private Child run(Jvms jvms, Path rules, List<String> options, String... args)
            throws Exception {
        return jvms.java(
                "listener",
                rules,
                options,
                Jvms.classPathOf(EarlyListener.class),
                EarlyListener.class.getName(),
                args);
    }

    @Test
    void listensBeforeTheSwitchHasStarted() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain = run(jvms, null, List.of()).results();
            assertEquals("SocketTimeoutException", plain.get("time-out"), plain::toString);
            assertEquals("true", plain.get("socket accepts"), plain::toString);
            assertEquals("true", plain.get("again"), plain::toString);
            assertEquals("true", plain.get("in time"), plain::toString);
            Child early = run(jvms, jvms.rules(), AUTO);
            assertEquals(plain, early.results(), early::toString);
            assertTrue(early.err().isEmpty(), early::toString);
        }
    }

    @Test
    void acceptsByTcpIfTheSwitchCannotStart() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain = run(jvms, null, List.of()).results();
            Child off = run(jvms, jvms.rules(), AUTO, "off");
            assertEquals(plain, off.results(), off::toString);
        }
    }

    @Test
    void countsWhatItAcceptsWithoutTheSwitch() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child early = run(jvms, jvms.rules(), AUTO, "short");
            early.results();
            assertEquals(6, early.report().acceptedKernel(), early::toString);
            assertEquals(6, early.report().policy(), early::toString);
        }
    }

    /** However long it is there: it accepts what stays on the kernel. */
    @Test
    void aListenerThatARuleKeepsOnTheKernelDoesWithoutTheSwitch() throws Exception {
        Path log = directory.resolve("classes.log");
        List<String> options = new ArrayList<>(AUTO);
        options.add("-Xlog:class+load:file=" + log);
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain = run(jvms, null, List.of()).results();
            Path rules = jvms.rules("tcp.conf", "use tcp server * *:*\n");
            Child early = run(jvms, rules, options);
            assertEquals(plain, early.results(), early::toString);
            String report = early.report().text();
            assertTrue(report.contains("\"RULE_TCP\""), report);
            assertFalse(Files.readString(log, ISO_8859_1).contains("JdkBridge "));
        }
    }

    @ParameterizedTest
    @CsvSource({"tcp,", "tcp, lost", "both,", "both, lost", "both, no thread"})
    void acceptsIntoEverySocketOfTheSwitch(String rule, String how) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("rules.conf", "use " + rule + " server * *:*\n");
            String[] args = how == null ? new String[0] : new String[] {how};
            assertEquals(accepting(jvms, null, List.of()), accepting(jvms, rules, AUTO, args));
        }
    }

    /** Also where a rule keeps clients off TCP, so that no early listener was there before. */
    @ParameterizedTest
    @ValueSource(strings = {"", "use sdp client * *:1\n"})
    void acceptsIntoEverySocketThoughTheSwitchCannotStart(String text) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("rules.conf", text);
            List<String> options = new ArrayList<>(AUTO);
            options.add("-javaagent:" + jarWithoutTheSwitch(directory) + "=policy=" + rules);
            assertEquals(accepting(jvms, null, List.of()), accepting(jvms, null, options));
        }
    }

    /** The agent, in {@code directory}, whose switch cannot start. */
    static Path jarWithoutTheSwitch(Path directory) throws IOException {
        Path hollow = Files.copy(Jvms.agentJar(), directory.resolve("hollow.jar"));
        try (FileSystem jar = FileSystems.newFileSystem(hollow)) {
            Files.delete(jar.getPath("sdp4j-modules/io.sdp4j.offload/module-info.class"));
        }
        return hollow;
    }

    private static Map<String, String> accepting(
            Jvms jvms, Path rules, List<String> options, String... args) throws Exception {
        String classes = Jvms.classPathOf(Accepting.class);
        String main = Accepting.class.getName();
        return jvms.java("accepting", rules, options, classes, main, args).results();
    }

    /** The channels' maker is there since before the rule. */
    @Test
    void aRuleThatComesLaterTurnsTcpClientsAway() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("changed.conf", "use both server * *:*\n");
            Child server =
                    jvms.java(
                            "server",
                            rules,
                            AUTO,
                            Jvms.classPathOf(ChangedRules.class),
                            ChangedRules.class.getName(),
                            "listener",
                            rules.toString());
            int port = Integer.parseInt(server.await("READY"));
            try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
                assertThrows(SocketException.class, client.getInputStream()::read);
            }
            server.endInput();
            assertEquals(0, server.exitCode(), server::toString);
            assertEquals(0, server.report().acceptedKernel(), server::toString);
        }
    }

    /** It was accepted before the switch could start. */
    @ParameterizedTest
    @ValueSource(strings = {"socket", "channel", "selector"})
    void whatItHasAcceptedMoves(String kind) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = java(jvms, EarlyServer.class, kind);
            Child client = java(jvms, EarlyStreams.class, "client", server.await("READY").strip());
            client.awaitMove();
            client.endInput();
            assertEquals("right", client.results().get("answer"), client::toString);
            assertEquals("all", server.results().get("summed"), server::toString);
            assertEquals(1, server.report().acceptedOffloaded(), server::toString);
            assertEquals(0, server.report().acceptedKernel(), server::toString);
        }
    }

    private static Child java(Jvms jvms, Class<?> main, String... args) throws Exception {
        List<String> options = new ArrayList<>(AUTO);
        options.add("-Dsdp4j.log.level=debug");
        return jvms.java(
                main.getSimpleName(),
                jvms.rules(),
                options,
                Jvms.classPathOf(main),
                main.getName(),
                args);
    }

    /** It comes by the second queue, which the selector has known nothing of. */
    @Test
    void aClientThatRequiresOffloadFindsAListenerOfAnEarlySelector() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = run(jvms, jvms.rules(), AUTO, "serve");
            Child client =
                    jvms.java(
                            "client",
                            jvms.rules("sdp.conf", "use sdp client * *:*\n"),
                            AUTO,
                            Jvms.classPathOf(Hurried.class),
                            Hurried.class.getName(),
                            server.await("READY"),
                            "20000");
            assertEquals("true", client.results().get("connected"), client::toString);
            assertEquals("-1", server.results().get("end"), server::toString);
            assertEquals(1, server.report().acceptedOffloaded(), server::toString);
        }
    }
}
