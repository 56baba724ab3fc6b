package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.CannotGoOn;
import io.sdp4j.e2e.programs.CannotStart;
import io.sdp4j.e2e.programs.ChangedRules;
import io.sdp4j.e2e.programs.EarlyByHand;
import io.sdp4j.e2e.programs.EarlyChannels;
import io.sdp4j.e2e.programs.EarlyEnd;
import io.sdp4j.e2e.programs.EarlyLife;
import io.sdp4j.e2e.programs.EarlyStreams;
import io.sdp4j.e2e.programs.HostNames;
import io.sdp4j.e2e.programs.Hurried;
import io.sdp4j.e2e.programs.IntoSocket;
import io.sdp4j.e2e.programs.SecondConnect;
import io.sdp4j.e2e.programs.WithoutSwitch;
import io.sdp4j.testing.JvmCommand;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.spi.InetAddressResolverProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a program whose connections are short, or that a rule keeps on the kernel, does not pay for
 * the switch, and cannot tell its sockets from the JDK's own; and the switch goes on with them when
 * it is there. Method: programs that run in JVMs of their own, with the agent and without.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EarlyIT {
    private static final List<String> AUTO =
            List.of("-Dsdp4j.upgrade=auto", "-XX:ActiveProcessorCount=2");

    @TempDir Path directory;
    private final CountDownLatch over = new CountDownLatch(1);
    private ServerSocket peer;

    @BeforeEach
    void servePlainTcp() throws IOException {
        peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                while (true) {
                                    Socket accepted = peer.accept();
                                    Thread.ofVirtual().start(() -> serve(accepted));
                                }
                            } catch (IOException e) {
                                // the test is over
                            }
                        });
    }

    @AfterEach
    void stopServing() throws IOException {
        over.countDown();
        peer.close();
    }

    /** Does what the first byte asks for. */
    private void serve(Socket socket) {
        try (socket) {
            InputStream in = socket.getInputStream();
            switch (in.read()) {
                case 'E' -> in.transferTo(socket.getOutputStream());
                case 'F' -> {
                    socket.getOutputStream().write("all".getBytes(StandardCharsets.US_ASCII));
                    socket.shutdownOutput();
                    in.readAllBytes();
                }
                case 'R' -> {
                    in.read();
                    socket.setSoLinger(true, 0);
                }
                case 'N' -> over.await();
                default -> in.readAllBytes();
            }
        } catch (IOException | InterruptedException e) {
            // the program has ended it
        }
    }

    private Child run(Jvms jvms, Path rules, List<String> options, Class<?> main, String... args)
            throws IOException {
        return jvms.java(
                main.getSimpleName(), rules, options, Jvms.classPathOf(main), main.getName(), args);
    }

    /** The options, and a log of the classes that are loaded. */
    private List<String> logging(Path log) {
        List<String> options = new ArrayList<>(AUTO);
        options.add("-Xlog:class+load:file=" + log);
        return options;
    }

    private static boolean switchStarted(Path log) throws IOException {
        return loaded(log).contains("JdkBridge ");
    }

    private static String loaded(Path log) throws IOException {
        return Files.readString(log, StandardCharsets.ISO_8859_1);
    }

    @Test
    void aProgramOfShortConnectionsDoesWithoutTheSwitch() throws Exception {
        Path log = directory.resolve("classes.log");
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain = run(jvms, null, List.of(), EarlyLife.class, port).results();
            Child early = run(jvms, jvms.rules(), logging(log), EarlyLife.class, port);
            assertEquals(lines(plain), lines(early.results()));
            assertTrue(early.report().policy() > 5, () -> text(early));
            assertTrue(text(early).contains("\"YOUNG\""), () -> text(early));
            assertFalse(switchStarted(log));
            for (String part :
                    List.of(
                            " java.util.logging.LogManager ",
                            " javax.management.",
                            " sun.security.ssl.")) {
                assertFalse(loaded(log).contains(part), part);
            }
        }
    }

    /** One that is not counted cannot move later. */
    @Test
    void withOneProcessorAChannelIsNotWorthMoving() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        List<String> options = List.of("-Dsdp4j.upgrade=auto", "-XX:ActiveProcessorCount=1");
        try (Jvms jvms = new Jvms(directory)) {
            Child early = run(jvms, jvms.rules(), options, EarlyChannels.class, "rested", port);
            early.results();
            assertTrue(text(early).contains("\"reasons\":{\"NOT_WORTH\":1}"), () -> text(early));
        }
    }

    @Test
    void aRuleThatKeepsItOnTheKernelDoesWithoutTheSwitch() throws Exception {
        Path log = directory.resolve("classes.log");
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain =
                    run(jvms, null, List.of(), EarlyLife.class, port, "bound").results();
            Path rules = jvms.rules("tcp.conf", "use tcp client * *:*\n");
            Child early = run(jvms, rules, logging(log), EarlyLife.class, port, "bound");
            assertEquals(lines(plain), lines(early.results()));
            assertTrue(text(early).contains("\"RULE_TCP\""), () -> text(early));
            assertFalse(switchStarted(log));
        }
    }

    /** As {@code explain} says; and none is counted as one that may yet move. */
    @ParameterizedTest
    @CsvSource({
        "fabric=nosuch,    true,  NO_PROVIDER",
        "fabric=verbs|shm, true,  NO_PEER",
        "'',               false, NO_PROVIDER"
    })
    void whatDoesNotBeginOnTheKernelNeedsTheSwitch(String fabrics, boolean shm, String reason)
            throws Exception {
        Path log = directory.resolve("classes.log");
        String port = Integer.toString(peer.getLocalPort());
        List<String> options = logging(log);
        options.add("-Dsdp4j.shm.enabled=" + shm);
        try (Jvms jvms = new Jvms(directory)) {
            String rule = "use both client * *:* " + fabrics.replace('|', ',') + "\n";
            Child early = run(jvms, jvms.rules("f.conf", rule), options, EarlyLife.class, port);
            early.results();
            assertTrue(switchStarted(log));
            assertTrue(text(early).contains("\"" + reason + "\""), () -> text(early));
            assertFalse(text(early).contains("\"YOUNG\""), () -> text(early));
        }
    }

    @Test
    void aRuleFileThatIsRefusedIsNoRule() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("bad.conf", "use nothing\n");
            Child early = run(jvms, rules, AUTO, EarlyLife.class, port, "all");
            early.results();
            assertTrue(text(early).contains("\"NO_RULES\""), () -> text(early));
            assertFalse(text(early).contains("\"RULE_TCP\""), () -> text(early));
            assertTrue(early.report().fallback() > 5, () -> text(early));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "channel"})
    void whereTheSwitchCannotStartItIsOff(String kind) throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        String[] args = kind.isEmpty() ? new String[] {port} : new String[] {port, kind};
        try (Jvms jvms = new Jvms(directory)) {
            Child off = run(jvms, jvms.rules(), AUTO, CannotStart.class, args);
            assertEquals("true", off.results().get("connected"), off::toString);
            assertTrue(text(off).contains("\"reasons\":{\"SWITCH_OFF\":1}"), () -> text(off));
            assertEquals(1, off.report().policy(), () -> text(off));
        }
    }

    /**
     * The last kind of channel starts the switch. Nothing is configured, or a directory without
     * plug-ins, which puts the modules into a layer; so nothing is read early.
     */
    @Test
    void aJarThatIsGoneIsStillUsed() throws Exception {
        Path plugins = Files.createDirectory(directory.resolve("plugins")).toRealPath();
        Files.setPosixFilePermissions(plugins, PosixFilePermissions.fromString("rwxr-xr-x"));
        boolean _ = usesAJarThatIsGone("");
        boolean _ = usesAJarThatIsGone("=plugins=" + plugins);
        boolean direct = usesAJarThatIsGone("=upgrade=connect");
        assertEquals(direct, usesAJarThatIsGone("=upgrade=connect,plugins=" + plugins));
    }

    /** Returns whether there were system calls that went past the JDK's linker. */
    private boolean usesAJarThatIsGone(String agentOptions) throws Exception {
        Path jar = Files.copy(Jvms.agentJar(), directory.resolve("agent.jar"));
        Path log = directory.resolve("classes.log");
        String port = Integer.toString(peer.getLocalPort());
        List<String> command =
                JvmCommand.of(WithoutSwitch.class, jar.toString(), port, port)
                        .options("-javaagent:" + jar + agentOptions, "-Xlog:class+load:file=" + log)
                        .classPath(Jvms.classPathOf(WithoutSwitch.class))
                        .builder()
                        .command();
        try (Jvms jvms = new Jvms(directory)) {
            Child child = jvms.start("WithoutSwitch", command, null);
            Map<String, String> results = child.results();
            for (String kind : List.of("socket", "channel", "asynchronous")) {
                assertEquals("yes", results.get(kind), child::toString);
            }
            List<String> said = new ArrayList<>(child.err());
            said.removeIf(line -> line.contains("no plug-in is loaded"));
            assertEquals(List.of(), said, child::toString);
            return loaded(log).contains("java.lang.invoke.NativeCalls ");
        }
    }

    /** The socket's lock is held when the line comes, and no later socket may print it. */
    @Test
    void aSocketThatCannotMoveIsTold() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:" + port + "\n");
            Child child = run(jvms, rules, AUTO, CannotGoOn.class, port);
            assertEquals("true", child.results().get("told"), child::toString);
        }
    }

    @Test
    void theSwitchGoesOnWithWhatNeedsIt() throws Exception {
        Path log = directory.resolve("classes.log");
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain =
                    run(jvms, null, List.of(), EarlyLife.class, port, "all").results();
            Child early = run(jvms, jvms.rules(), logging(log), EarlyLife.class, port, "all");
            assertEquals(lines(plain), lines(early.results()));
            assertTrue(switchStarted(log));
            assertFalse(loaded(log).contains("loader.Loader$LoadedModule "), "defined a layer");
        }
    }

    /** The peer offers no offload, and the switch takes longer to start than the connect may. */
    @Test
    void aRuleForNothingButOffloadHoldsFromTheFirstConnectOn() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:*\n");
            Child early = run(jvms, rules, AUTO, Hurried.class, port, "10");
            assertEquals("false", early.results().get("connected"), early::toString);
        }
    }

    /**
     * It held when the JVM started, and for the first socket if there is one; with RDMA the first
     * socket starts the switch.
     */
    @ParameterizedTest
    @CsvSource({"true, upgrade=auto", "false, upgrade=auto", "false, verbs.enabled=true"})
    void aRuleForNothingButOffloadHoldsThoughTheFileIsBadWhenTheSwitchStarts(
            boolean early, String setting) throws Exception {
        List<String> options = new ArrayList<>(AUTO);
        options.add("-Dsdp4j." + setting);
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory);
                ServerSocket other = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String text = "use sdp client * *:" + port + "\nuse tcp client * *:*\n";
            Path rules = jvms.rules("sdp.conf", text);
            List<String> args = new ArrayList<>(List.of("client", rules.toString()));
            if (early) {
                args.add(Integer.toString(other.getLocalPort()));
            }
            args.add(port);
            String[] given = args.toArray(String[]::new);
            Child child = run(jvms, rules, options, ChangedRules.class, given);
            assertNotEquals("true", child.results().get("connected"), child::toString);
        }
    }

    /** The switch is loaded by another thread, for which the one that connects waits. */
    @ParameterizedTest
    @CsvSource({"platform, Connection refused", "virtual, Closed by interrupt"})
    void anInterruptEndsAConnectOfAVirtualThreadOnly(String thread, String problem)
            throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        peer.close(); // else a thread that goes on waits until its time is over
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:*\n");
            Child early = run(jvms, rules, AUTO, Hurried.class, port, "20000", thread);
            assertTrue(early.results().get("problem").contains(problem), early::toString);
            assertEquals("true", early.results().get("interrupted"), early::toString);
        }
    }

    @Test
    @DisplayName("14: an end that was told before the switch took over stays")
    void anEndThatWasToldStays() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        List<String> options = new ArrayList<>(AUTO);
        options.add("--add-opens=java.base/java.net=ALL-UNNAMED");
        try (Jvms jvms = new Jvms(directory)) {
            Child early = run(jvms, jvms.rules(), options, EarlyEnd.class, port);
            assertEquals("-1", early.results().get("after"), early::toString);
        }
    }

    /** And its calls have their bytes where there is no memory to start the switch. */
    @Test
    void theSwitchIsToldOfWhatASocketHasSeen() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        List<String> options = new ArrayList<>(AUTO);
        options.add("--add-opens=java.base/java.net=ALL-UNNAMED");
        try (Jvms jvms = new Jvms(directory)) {
            Child early = run(jvms, jvms.rules(), options, EarlyByHand.class, port);
            assertEquals(
                    Map.of(
                            "limit", "false",
                            "read", "1",
                            "timed", "true",
                            "part", "stays",
                            "scarce", "false"),
                    early.results(),
                    early::toString);
        }
    }

    /**
     * A connect that fails at once leaves the channel as it was, and the rules hold for the next.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theRulesHoldForASecondConnect(boolean whole) throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("sdp.conf", "use sdp client * *:" + port + "\n");
            List<String> options = new ArrayList<>(AUTO);
            if (!whole) {
                Path hollow = EarlyListenIT.jarWithoutTheSwitch(directory);
                options.add("-javaagent:" + hollow + "=policy=" + rules);
            }
            Path agents = whole ? rules : null;
            Child child = run(jvms, agents, options, SecondConnect.class, port);
            assertEquals("false", child.results().get("unresolved"), child::toString);
            assertEquals("false", child.results().get("blocking mode"), child::toString);
        }
    }

    @Test
    void aListenerAcceptsIntoASocketThatWasThereBefore() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child both = run(jvms, jvms.rules(), AUTO, IntoSocket.class);
            assertEquals("42", both.results().get("byte"));
        }
    }

    /** The reader waits in the kernel from the first byte on, and is answered by the stream. */
    @RepeatedTest(3)
    void aConnectionMovesUnderAThreadThatWaits() throws Exception {
        moves(EarlyStreams.class, "client");
    }

    @ParameterizedTest
    @ValueSource(strings = {"blocking", "selector"})
    void aChannelMoves(String kind) throws Exception {
        moves(EarlyChannels.class, kind);
    }

    /** The program, whose other argument is the port, writes until its input ends. */
    private void moves(Class<?> program, String kind) throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child server = run(jvms, jvms.rules(), AUTO, EarlyStreams.class, "server");
            List<String> options = new ArrayList<>(AUTO);
            options.add("-Dsdp4j.log.level=debug");
            String port = server.await("READY");
            Child client = run(jvms, jvms.rules(), options, program, kind, port);
            client.awaitMove();
            client.endInput();
            assertEquals("right", client.results().get("answer"), client::toString);
            assertEquals("all", server.results().get("summed"), server::toString);
            assertEquals(1, client.report().offloaded(), () -> text(client));
            assertEquals(0, client.report().policy(), () -> text(client));
            assertEquals(1, server.report().acceptedOffloaded(), () -> text(server));
        }
    }

    @Test
    void aProgramOfChannelsDoesWithoutTheSwitch() throws Exception {
        Path log = directory.resolve("classes.log");
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Map<String, String> plain =
                    run(jvms, null, List.of(), EarlyChannels.class, "life", port).results();
            Child early = run(jvms, jvms.rules(), logging(log), EarlyChannels.class, "life", port);
            assertEquals(lines(plain), lines(early.results()));
            assertTrue(early.report().policy() > 5, () -> text(early));
            assertTrue(text(early).contains("\"YOUNG\""), () -> text(early));
            // a socket that is bound to an address may be one of a rule's
            assertTrue(loaded(log).contains("sun.nio.ch.EarlyConnection "));
        }
    }

    @Test
    void aClosedListenerSaysSoAsTheJdks() throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Child plain = run(jvms, null, List.of(), EarlyChannels.class, "listens");
            Child early = run(jvms, jvms.rules(), List.of(), EarlyChannels.class, "listens");
            assertEquals(lines(plain.results()), lines(early.results()));
        }
    }

    @Test
    void aChannelIsNotJudgedByAPause() throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Child client = run(jvms, jvms.rules(), AUTO, EarlyChannels.class, "rested", port);
            client.results();
            assertFalse(text(client).contains("NOT_WORTH"), () -> text(client));
        }
    }

    @Test
    void channelsOfOtherKindsDoWithoutTheSwitch() throws Exception {
        Path log = directory.resolve("classes.log");
        try (Jvms jvms = new Jvms(directory)) {
            Child plain = run(jvms, null, List.of(), EarlyChannels.class, "other");
            String said = lines(plain.results());
            assertTrue(said.contains("pipe=4"), plain::toString);
            Child early = run(jvms, jvms.rules(), logging(log), EarlyChannels.class, "other");
            assertEquals(said, lines(early.results()));
            assertFalse(switchStarted(log));
        }
    }

    /** Otherwise each would wait for the other, for as long as the rules wait for their hosts. */
    @ParameterizedTest
    @CsvSource({"auto, socket", "auto, channel", "connect, socket"})
    void theFirstSocketWaitsForAResolverThatOpensSockets(String upgrade, String kind)
            throws Exception {
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("named.conf", "use tcp client * named.test:1\n");
            String beside = "";
            // a busy machine may take longer than the rules wait
            for (int i = 0; i < 5 && !beside.equals("true"); i++) {
                Child child = hostNames(jvms, rules, upgrade, "first", kind);
                beside = child.results().get("beside");
            }
            assertEquals("true", beside);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"socket", "listener"})
    @DisplayName("27: a close does not wait for a thread that looks at the rules")
    void aCloseDoesNotWaitForTheRules(String kind) throws Exception {
        String port = Integer.toString(peer.getLocalPort());
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("named.conf", "use tcp client * *:1\n");
            Child child = hostNames(jvms, rules, "auto", "close", kind, rules.toString(), port);
            assertEquals("true", child.results().get("beside"), child::toString);
        }
    }

    private Child hostNames(Jvms jvms, Path rules, String upgrade, String... args)
            throws IOException {
        Path services = directory.resolve("resolver/META-INF/services");
        Files.createDirectories(services);
        Files.writeString(
                services.resolve(InetAddressResolverProvider.class.getName()),
                HostNames.Resolver.class.getName());
        return jvms.java(
                "HostNames",
                rules,
                List.of("-Dsdp4j.upgrade=" + upgrade, "-XX:ActiveProcessorCount=2"),
                Jvms.classPathOf(HostNames.class)
                        + File.pathSeparator
                        + directory.resolve("resolver"),
                HostNames.class.getName(),
                args);
    }

    private static String lines(Map<String, String> results) {
        return results.toString().replace(", ", "\n");
    }

    private static String text(Child child) {
        try {
            return child.report().text();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
