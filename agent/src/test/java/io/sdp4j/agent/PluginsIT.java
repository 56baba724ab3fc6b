package io.sdp4j.agent;

import static io.sdp4j.agent.AgentRuns.assertRan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.agent.programs.AsyncConnection;
import io.sdp4j.agent.programs.FailingFabric;
import io.sdp4j.agent.programs.FailingProtocol;
import io.sdp4j.agent.programs.OneChannel;
import io.sdp4j.agent.programs.OneConnection;
import io.sdp4j.agent.programs.PluginSeeker;
import io.sdp4j.agent.programs.SentFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Goal: programs that know nothing of it run over the plug-ins of {@code samples}. */
class PluginsIT {
    private static final String PIPE = "pipe-protocol";
    private static final String MEMORY = "memory-fabric";

    @TempDir private Path folder;
    private Path plugins;
    private Path report;

    @BeforeEach
    void makeDirectory() throws IOException {
        plugins = Files.createDirectory(folder.resolve("plugins")).toRealPath();
        allow(plugins, "rwxr-xr-x");
        report = folder.resolve("report.json");
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    /** Puts the jar of a sample into the directory. */
    private void put(String sample) throws IOException {
        Path built = Path.of("..", "samples", sample, "target");
        try (DirectoryStream<Path> jars = Files.newDirectoryStream(built, sample + "-*.jar")) {
            Path jar = plugins.resolve(sample + ".jar");
            Files.copy(jars.iterator().next(), jar);
            allow(jar, "rw-r--r--");
        }
    }

    private Path putJar(String name, Map<String, byte[]> entries) throws IOException {
        Path jar = AgentRuns.jar(plugins.resolve(name), Map.of(), entries);
        allow(jar, "rw-r--r--");
        return jar;
    }

    private Path rules(String fabric) throws IOException {
        return Files.writeString(
                folder.resolve("rules"),
                "use both server * *:* fabric=%s\nuse both client * *:* fabric=%s\n"
                        .formatted(fabric, fabric));
    }

    private String agent(String options) {
        return Jvm.agent("plugins=" + plugins + ",report=" + report + options);
    }

    private void assertCarriedBy(String fabric) throws IOException {
        assertCarriedBy(fabric, 1);
    }

    private void assertCarriedBy(String fabric, long connections) throws IOException {
        Map<?, ?> all = (Map<?, ?>) JsonReader.parse(Files.readString(report));
        for (String side : List.of("connections", "accepted")) {
            assertEquals(Map.of(fabric, connections), ((Map<?, ?>) all.get(side)).get("offloaded"));
        }
    }

    @ParameterizedTest
    @CsvSource({PIPE + ", pipe", MEMORY + ", memory"})
    void carriesSocketsAndChannelsOfEachKind(String sample, String name) throws IOException {
        put(sample);
        // with the usual settings: what a rule names and cannot move is offloaded at once
        String agent = agent(",upgrade=auto,policy=" + rules(name));
        for (Class<?> program :
                List.of(OneConnection.class, OneChannel.class, AsyncConnection.class)) {
            Jvm.Outcome outcome = Jvm.run(program, List.of(agent));
            assertEquals(0, outcome.exitCode(), outcome::err);
            assertTrue(outcome.outLines().contains("byte=42"), outcome::out);
            assertEquals("", outcome.err());
            assertCarriedBy(name, program == AsyncConnection.class ? 3 : 1);
        }
        String file = folder.resolve("sent").toString();
        Jvm.Outcome sent = Jvm.run(SentFile.class, List.of(agent), file, "100000");
        assertEquals("same=true", sent.outLines().getFirst(), sent::err);
        assertCarriedBy(name);
    }

    /** Without a rule that names one, plug-ins come behind what is built in, fabrics first. */
    @Test
    void isTriedBehindWhatIsBuiltIn() throws IOException {
        put(PIPE);
        put(MEMORY);
        assertRan(Jvm.run(OneConnection.class, List.of(Jvm.OFFLOADS, agent(""))), 0);
        assertCarriedBy("shm");
        assertRan(
                Jvm.run(OneConnection.class, List.of(Jvm.OFFLOADS, agent(",shm.enabled=false"))),
                0);
        assertCarriedBy("memory");
        Files.delete(plugins.resolve(MEMORY + ".jar"));
        assertRan(
                Jvm.run(OneConnection.class, List.of(Jvm.OFFLOADS, agent(",shm.enabled=false"))),
                0);
        assertCarriedBy("pipe");
    }

    @Test
    void theApplicationSeesNoPlugIn() throws IOException {
        put(PIPE);
        Jvm.Outcome outcome =
                Jvm.run(
                        PluginSeeker.class,
                        List.of(agent(",policy=" + rules("pipe"))),
                        "io.sdp4j.sample.pipe.PipeProvider");
        assertEquals(List.of("byte=42", "seen=none"), outcome.outLines(), outcome::err);
        assertCarriedBy("pipe");
    }

    /**
     * Goal: in a user namespace without the host's root, a user who has no number there is not
     * taken for root, in whose directories plug-ins and links are trusted. Method: directories of
     * the host's root, who is such a user there.
     */
    @Test
    void aUserWithoutANumberIsNotTakenForRoot() throws Exception {
        put(PIPE);
        Path agent = Files.copy(Jvm.JAR, folder.resolve("agent.jar"));
        Path program =
                AgentRuns.jar(
                        folder.resolve("program.jar"),
                        Map.of(),
                        AgentRuns.entries(OneConnection.class));
        Path rules = rules("shm");
        Path victim = Files.createFile(folder.resolve("victim"));
        Path logs = Files.createDirectory(folder.resolve("logs"));
        Path log = Files.createSymbolicLink(logs.resolve("log"), victim);
        for (Path each : List.of(folder, logs, agent, program, rules)) {
            allow(each, "rwxr-xr-x");
        }
        List<String> container = new ArrayList<>();
        container.addAll(List.of("setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"));
        container.addAll(List.of("unshare", "--user", "--map-root-user"));
        List<String> look = new ArrayList<>(container);
        look.addAll(List.of("test", "-r", agent.toString()));
        assumeTrue(new ProcessBuilder(look).start().waitFor() == 0, "must be root to be others");
        Files.setAttribute(victim, "unix:uid", 54321);
        container.add(Jvm.java().toString());
        container.add(
                "-javaagent:%s=plugins=%s,policy=%s,log.level=debug,log.file=%s"
                        .formatted(agent, plugins, rules, log));
        container.addAll(List.of("-cp", program.toString(), OneConnection.class.getName()));
        Jvm.Outcome outcome = Jvm.process(container, Map.of());
        assertEquals("byte=42\n", outcome.out(), outcome::err);
        assertTrue(outcome.err().contains(plugins + " belongs to another user"), outcome::err);
        assertEquals("", Files.readString(victim));
    }

    /** A program that does nothing but connect starts the switch, too, which asks the plug-in. */
    @Test
    void isAskedByAClientAlone() throws IOException {
        put(PIPE);
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofPlatform().daemon().start(() -> hangUp(server));
            Jvm.Outcome outcome =
                    Jvm.java(
                            List.of(
                                    agent(",policy=" + rules("pipe")),
                                    "-cp",
                                    Path.of("..", "samples", "target", "classes").toString(),
                                    "io.sdp4j.samples.EchoClient",
                                    "--lines",
                                    "0",
                                    "--port",
                                    "" + server.getLocalPort()));
            assertEquals(List.of("end of stream"), outcome.outLines(), outcome::err);
        }
        Map<?, ?> all = (Map<?, ?>) JsonReader.parse(Files.readString(report));
        assertEquals(Map.of("NO_PEER", 1L), all.get("reasons"));
    }

    private static void hangUp(ServerSocket server) {
        try {
            server.accept().close();
        } catch (IOException e) {
            // the client has not come, which its own output tells
        }
    }

    /** Each costs a line, and the others work. */
    @Test
    void whatIsBrokenOrForeignIsLeftOut() throws IOException {
        put(PIPE);
        Files.copy(plugins.resolve(PIPE + ".jar"), plugins.resolve("twice.jar"));
        putFailing("io.sdp4j.offload.spi.OffloadProvider", FailingProtocol.class);
        putJar("foreign.jar", Map.of("read.me", new byte[0]));
        allow(Files.writeString(plugins.resolve("broken.jar"), "no jar"), "rw-r--r--");
        Jvm.Outcome outcome =
                Jvm.run(OneConnection.class, List.of(agent(",policy=" + rules("pipe"))));
        assertRan(outcome, 4);
        List<String> reasons =
                List.of(
                        "broken.jar is not used: ",
                        "could not be instantiated (java.lang.AssertionError: no licence)",
                        "twice.jar is not used: its name 'pipe' is taken",
                        "foreign.jar is not used: provides neither ");
        for (int i = 0; i < reasons.size(); i++) {
            String line = outcome.errLines().get(i);
            assertTrue(line.startsWith("sdp4j: plug-in " + plugins), line);
            assertTrue(line.contains(reasons.get(i)), line);
        }
        assertCarriedBy("pipe");
    }

    private void putFailing(String service, Class<?> failing) throws IOException {
        Map<String, byte[]> entries = AgentRuns.entries(failing);
        byte[] name = failing.getName().getBytes(StandardCharsets.UTF_8);
        entries.put("META-INF/services/" + service, name);
        putJar("failing.jar", entries);
    }

    /** Whether a rule names nothing else, or a listener has shared memory as well. */
    @Test
    void aFabricThatCannotOpenIsToldOnce() throws IOException {
        putFailing("io.sdp4j.fabric.FabricFactory", FailingFabric.class);
        for (String fabrics : List.of("failing", "shm,failing")) {
            Path log = folder.resolve(fabrics.length() + ".log");
            String options = ",log.file=" + log + ",policy=" + rules(fabrics);
            assertRan(Jvm.run(OneConnection.class, List.of(agent(options))), 1);
            List<String> told = Files.readAllLines(log);
            told.removeIf(line -> !line.contains("there is no card"));
            assertEquals(1, told.size(), told::toString);
            assertTrue(told.getFirst().contains("plug-in fabric failing cannot be used"));
        }
    }

    @Test
    void goesOnWithoutADirectory() throws IOException {
        Files.delete(plugins);
        Jvm.Outcome outcome = Jvm.run(OneConnection.class, List.of(Jvm.OFFLOADS, agent("")));
        assertRan(outcome, 1);
        assertTrue(outcome.err().contains("no plug-in is loaded"), outcome::err);
        assertCarriedBy("shm");
    }

    @Test
    void explainKnowsThem() throws IOException {
        put(PIPE);
        put(MEMORY);
        String rules = rules("pipe,memory").toString();
        String[] question = {"explain", "--lint", "--policy", rules, "127.0.0.1:80"};
        Jvm.Outcome without = Jvm.cli(question);
        assertEquals(1, without.exitCode());
        assertTrue(without.out().contains("names fabric 'pipe'"), without::out);
        Jvm.Outcome with =
                Jvm.cli(
                        "explain",
                        "--plugins",
                        plugins.toString(),
                        "--lint",
                        "--policy",
                        rules,
                        "127.0.0.1:80");
        assertEquals(0, with.exitCode(), with::out);
        assertTrue(with.out().contains("  - sdp over memory\n  - pipe, a protocol"), with::out);
        assertTrue(with.out().contains("Ends: offloaded if"), with::out);
    }
}
