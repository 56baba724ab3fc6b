package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.programs.BeanReader;
import io.sdp4j.agent.programs.NoSocket;
import io.sdp4j.agent.programs.OneChannel;
import io.sdp4j.agent.programs.OneConnection;
import io.sdp4j.agent.programs.OtherAgent;
import io.sdp4j.agent.programs.OtherSelectorProvider;
import io.sdp4j.agent.programs.Parent;
import io.sdp4j.agent.programs.SentFile;
import io.sdp4j.agent.programs.Surroundings;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jar in JVMs that know nothing of it. Checklist of jdk-spi.md, 65 to 74 and 79. */
class AgentIT {
    private static final List<String> BYTE = List.of("byte=42");

    @TempDir private Path folder;

    private static Jvm.Outcome connect(String agentOptions, String... jvmOptions) {
        List<String> all = new ArrayList<>(List.of(jvmOptions));
        all.add(Jvm.agent(agentOptions));
        return Jvm.run(OneConnection.class, all);
    }

    private static void assertRan(Jvm.Outcome outcome, int errLines) {
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertEquals(BYTE, outcome.outLines());
        assertEquals(errLines, outcome.errLines().size(), outcome::err);
    }

    /** The connections of a report: offloaded, kernel by policy, kernel by fallback. */
    private static List<Long> connections(Path report) throws IOException {
        Map<?, ?> connections =
                (Map<?, ?>)
                        ((Map<?, ?>) JsonReader.parse(Files.readString(report))).get("connections");
        Map<?, ?> kernel = (Map<?, ?>) connections.get("kernel");
        long offloaded =
                ((Map<?, ?>) connections.get("offloaded"))
                        .values().stream().mapToLong(n -> (Long) n).sum();
        return List.of(offloaded, (Long) kernel.get("policy"), (Long) kernel.get("fallback"));
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    @DisplayName("65: nothing is said, and connections are offloaded")
    void isSilentAndOffloads() throws IOException {
        Path report = folder.resolve("report.json");
        assertRan(connect("report=" + report), 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
    }

    @Test
    void offloadsChannels() throws IOException {
        Path report = folder.resolve("report.json");
        assertRan(channel(Jvm.agent("report=" + report)), 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
        assertRan(channel(Jvm.agent("report=" + report), "--illegal-native-access=deny"), 1);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
    }

    private static Jvm.Outcome channel(String... options) {
        return Jvm.run(OneChannel.class, List.of(options));
    }

    @Test
    @DisplayName("57: a file goes out by sendfile where a channel fell back to the kernel")
    void theKernelSendsFilesOfItsOwnConnections() throws IOException {
        Path report = folder.resolve("report.json");
        Path rules = file("rules", "use tcp server * *:*\nuse both client * *:*\n");
        List<String> sentByKernel = List.of("same=true", "read=true");
        Jvm.Outcome plain = sentFile("-Dnone", 1 << 20);
        assertEquals(sentByKernel, plain.outLines(), plain::err);
        Jvm.Outcome fallback =
                sentFile(Jvm.agent("policy=" + rules + ",report=" + report), 1 << 20);
        assertEquals(sentByKernel, fallback.outLines(), fallback::err);
        assertEquals(List.of(), fallback.errLines());
        assertEquals(List.of(0L, 0L, 1L), connections(report));
    }

    @Test
    @DisplayName(
            "57: of a file short pieces are read, long ones mapped, where a channel is offloaded")
    void sendsFilesOverOffloadedConnections() throws IOException {
        Path report = folder.resolve("report.json");
        for (int piece : List.of(1 << 20, 100_000, 20_000)) {
            Jvm.Outcome offloaded = sentFile(Jvm.agent("report=" + report), piece);
            assertEquals("same=true", offloaded.outLines().getFirst(), offloaded::err);
            if (piece <= 100_000) { // the rest of a long one may be short, and tried many times
                assertEquals("read=true", offloaded.outLines().getLast(), offloaded::err);
            }
            assertEquals(List.of(1L, 0L, 0L), connections(report));
        }
    }

    private Jvm.Outcome sentFile(String option, int pieceBytes) {
        String path = folder.resolve("sent").toString();
        return Jvm.run(SentFile.class, List.of(option), path, "" + pieceBytes);
    }

    @Test
    @DisplayName("66, 67: another provider stays, and one line says so")
    void leavesAnotherSelectorProviderAlone() throws IOException {
        Path report = folder.resolve("report.json");
        String agent = Jvm.agent("report=" + report);
        Jvm.Outcome named =
                channel(
                        agent,
                        "-Djava.nio.channels.spi.SelectorProvider=sun.nio.ch.EPollSelectorProvider");
        assertRan(named, 1);
        assertTrue(named.err().contains("channels are not offloaded"), named::err);
        assertEquals(List.of(0L, 0L, 0L), connections(report));
        Jvm.Outcome late = channel(otherAgent("selector"), agent);
        assertRan(late, 1);
        assertTrue(late.err().contains("put this -javaagent first"), late::err);
        assertEquals(List.of(0L, 0L, 0L), connections(report));
    }

    /** Goal: one that comes in a service file does the work; ours only stands in for it. */
    @Test
    @DisplayName("67: a selector provider on the class path stays, and one line says so")
    void standsAsideForASelectorProviderOnTheClassPath() throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        String theirs = OtherSelectorProvider.class.getName();
        Files.writeString(services.resolve("java.nio.channels.spi.SelectorProvider"), theirs);
        Path report = folder.resolve("report.json");
        Jvm.Outcome outcome =
                Jvm.java(
                        List.of(
                                Jvm.agent("report=" + report),
                                "-cp",
                                folder + File.pathSeparator + Jvm.classes(),
                                OneChannel.class.getName()));
        assertTrue(outcome.err().contains(OtherSelectorProvider.TEXT), outcome::err);
        assertEquals(
                "sdp4j: channels are not offloaded: the class path brings " + theirs,
                outcome.errLines().getFirst());
        assertEquals(List.of(0L, 0L, 0L), connections(report));
    }

    @Test
    @DisplayName("65: nothing is said with native access on the command line either")
    void isSilentWithNativeAccessOnTheCommandLine() {
        assertRan(connect("", "--enable-native-access=ALL-UNNAMED"), 0);
    }

    @Test
    @DisplayName("65: no option ends the application")
    void survivesBadOptions() {
        for (String bad : List.of("nonsense=1", "connect.timeout.ms=soon", "=,=,\\")) {
            Jvm.Outcome outcome = connect(bad);
            assertEquals(BYTE, outcome.outLines(), bad);
            assertTrue(outcome.errLines().size() <= 1, outcome::err);
            outcome.errLines().forEach(line -> assertTrue(line.startsWith("sdp4j: "), line));
        }
        assertTrue(connect("nonsense=1").err().contains("'sdp4j.nonsense' is unknown"));
    }

    @Test
    void isQuietWhenTold() {
        assertRan(connect("quiet,nonsense=1"), 0);
    }

    @Test
    void countsOnceWhenGivenTwice() {
        Jvm.Outcome outcome = connect("", Jvm.agent("log.level=error"));
        assertRan(outcome, 1);
        assertTrue(outcome.err().contains("given twice"), outcome::err);
    }

    @Test
    void leavesForeignFactoriesAlone() throws IOException {
        for (String which : List.of("client", "server")) {
            Jvm.Outcome outcome =
                    Jvm.run(NoSocket.class, List.of(otherAgent(which), Jvm.agent("")));
            assertEquals(0, outcome.exitCode());
            assertEquals(1, outcome.errLines().size(), outcome::err);
            assertTrue(outcome.err().contains("another socket factory"), outcome::err);
        }
    }

    @Test
    @DisplayName("73: denied native access")
    void obeysDeniedNativeAccess() throws IOException {
        Path report = folder.resolve("report.json");
        Jvm.Outcome outcome = connect("report=" + report, "--illegal-native-access=deny");
        assertRan(outcome, 1);
        assertTrue(outcome.err().contains("native access is denied"), outcome::err);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
    }

    @Test
    @DisplayName("68, 71: what the application sees is as without")
    void leavesNoTraceInTheApplication() {
        Jvm.Outcome plain = Jvm.run(Surroundings.class, List.of());
        Jvm.Outcome with = Jvm.run(Surroundings.class, List.of(Jvm.agent("")));
        assertEquals("", with.err());
        // the JVM names java.instrument as a module to resolve; everything else is as without
        assertEquals(without(plain, "jdk.module"), without(with, "jdk.module"));
        assertFalse(with.out().contains(": true"), with::out);
    }

    private static String without(Jvm.Outcome outcome, String word) {
        return String.join(
                "\n", outcome.outLines().stream().filter(line -> !line.contains(word)).toList());
    }

    @Test
    @DisplayName("79: a child JVM is not disturbed")
    void doesNotDisturbChildren() {
        Jvm.Outcome outcome = Jvm.run(Parent.class, List.of(Jvm.agent("")));
        assertRan(outcome, 0);
    }

    @Test
    void ignoresTheApplicationsChoiceOfSlf4jProvider() {
        Jvm.Outcome outcome =
                connect(
                        "log.level=trace,log.file=" + folder.resolve("log"),
                        "-Dslf4j.provider=no.Such");
        assertRan(outcome, 0);
    }

    @Test
    @DisplayName("69: the JDK's own switch is out of the way, early and late")
    void takesTheJdksRulesOver() throws IOException {
        Path rules = file("sdp.conf", "connect 127.0.0.1 *\nbind * *\n");
        Path report = folder.resolve("report.json");
        String property = "-Dcom.sun.sdp.conf=" + rules;
        assertRan(connect("report=" + report, property), 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
        Jvm.Outcome late = connect("report=" + report, property, otherAgent("nethooks"));
        assertRan(late, 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
        Jvm.Outcome seen = Jvm.run(Surroundings.class, List.of(property, Jvm.agent("")));
        assertTrue(seen.out().contains("com.sun.sdp.conf=" + rules));
    }

    @Test
    void usesTheKernelByRule() throws IOException {
        Path rules = file("rules.conf", "use tcp client * *:*\nuse both server * *:*\n");
        Path report = folder.resolve("report.json");
        assertRan(connect("report=" + report + ",policy=" + rules), 0);
        assertEquals(List.of(0L, 1L, 0L), connections(report));
    }

    @Test
    @DisplayName("70: bad rules are told with their line, and networking works")
    void usesTheKernelWhenTheRulesAreBad() throws IOException {
        Path rules = file("rules.conf", "use both client * *:*\nuse carrots client * *:*\n");
        Path report = folder.resolve("report.json");
        Jvm.Outcome outcome = connect("report=" + report + ",policy=" + rules);
        assertRan(outcome, 1);
        assertTrue(outcome.err().contains(rules + ":2:"), outcome::err);
        assertEquals(0L, connections(report).getFirst());
    }

    @Test
    void reportsWithoutASocket() throws IOException {
        Jvm.Outcome outcome =
                Jvm.run(
                        NoSocket.class,
                        List.of(Jvm.agent("report=" + folder.resolve("r-%p.json").toString())));
        assertEquals("", outcome.out() + outcome.err());
        try (var files = Files.list(folder)) {
            List<Path> reports = files.toList();
            assertEquals(1, reports.size(), reports::toString);
            assertTrue(reports.getFirst().getFileName().toString().matches("r-[0-9]+\\.json"));
            assertEquals(List.of(0L, 0L, 0L), connections(reports.getFirst()));
        }
    }

    @Test
    void reportsThroughJmx() {
        Jvm.Outcome outcome =
                Jvm.run(BeanReader.class, List.of(Jvm.agent("connect.timeout.ms=60000")));
        assertEquals("", outcome.err());
        Map<?, ?> report = (Map<?, ?>) JsonReader.parse(outcome.outLines().getFirst());
        assertEquals(
                List.of("connections", "accepted", "bytes", "reasons", "pid"),
                List.copyOf(report.keySet()));
        assertEquals("0", outcome.outLines().get(1));
    }

    @Test
    void saysOneLineToAnOldJvm() {
        Path old = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.isExecutable(old));
        Jvm.Outcome outcome =
                Jvm.process(List.of(old.toString(), Jvm.agent(""), "-version"), Map.of());
        assertEquals(0, outcome.exitCode());
        assertTrue(
                outcome.err().startsWith("sdp4j: this is Java 17, sdp4j needs 25"), outcome::err);
    }

    @Test
    @DisplayName("72: JFR, JMX and JDWP beside it")
    void worksInSmallImagesAndWithOtherTools() {
        for (String[] options :
                new String[][] {
                    {"--limit-modules", "java.base,java.instrument"},
                    {"-Xshare:off"},
                    {"-ea", "-esa"},
                    {
                        "-Dcom.sun.management.jmxremote.port=0",
                        "-Dcom.sun.management.jmxremote.authenticate=false",
                        "-Dcom.sun.management.jmxremote.ssl=false"
                    },
                    {"-XX:StartFlightRecording:filename=" + folder.resolve("a.jfr")},
                    {"-agentlib:jdwp=transport=dt_socket,server=y,suspend=n"}
                }) {
            Jvm.Outcome outcome = connect("", options);
            assertEquals(0, outcome.exitCode(), outcome::err);
            assertTrue(outcome.out().contains("byte=42"), outcome::out);
            assertEquals("", outcome.err());
        }
    }

    @Test
    void canBeAttachedLate() throws Exception {
        Path report = folder.resolve("report.json");
        Process process =
                Jvm.builder(
                                List.of(
                                        Jvm.java().toString(),
                                        "-XX:+EnableDynamicAgentLoading",
                                        "-cp",
                                        Jvm.classes(),
                                        OneConnection.class.getName(),
                                        "wait"))
                        .start();
        try (var out = process.inputReader();
                var err = process.errorReader()) {
            assertEquals("waiting", out.readLine());
            var machine = com.sun.tools.attach.VirtualMachine.attach(Long.toString(process.pid()));
            machine.loadAgent(Jvm.JAR.toString(), "report=" + report);
            machine.detach();
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
            assertEquals("byte=42", out.readLine());
            assertEquals(0, process.waitFor());
            assertTrue(err.readLine().startsWith("sdp4j: attached late"));
            assertEquals(List.of(1L, 0L, 0L), connections(report));
        } finally {
            process.destroyForcibly();
        }
    }

    /**
     * Goal: a program without sockets starts at most 150 ms later. Method: the best of interleaved
     * starts, which other load on the machine disturbs least. Where there is so much that none is
     * undisturbed, processor time stands for it: all that the agent adds is work of one thread.
     */
    @Test
    void startsQuickly() throws IOException {
        long[] plain = {Long.MAX_VALUE, Long.MAX_VALUE};
        long[] with = {Long.MAX_VALUE, Long.MAX_VALUE};
        boolean quick = false;
        for (int i = 0; i < 10 || (i < 40 && !quick); i++) {
            start(plain, List.of());
            start(with, List.of(Jvm.agent("")));
            quick = with[0] - plain[0] <= 150 || with[1] - plain[1] <= 150;
        }
        String told =
                "start-up with the agent: +%d ms, +%d ms of processor time"
                        .formatted(with[0] - plain[0], with[1] - plain[1]);
        System.out.println(told);
        assertTrue(quick, told);
    }

    /** Starts a JVM; keeps the least wall time and the least processor time, both in ms. */
    private static void start(long[] least, List<String> options) throws IOException {
        long before = childrenMillis();
        long wall = Jvm.run(NoSocket.class, options).nanos() / 1_000_000;
        least[0] = Math.min(least[0], wall);
        least[1] = Math.min(least[1], childrenMillis() - before);
    }

    /** Processor time of all children that have ended; proc(5), in ticks of 10 ms. */
    private static long childrenMillis() throws IOException {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        return 10 * (Long.parseLong(fields[13]) + Long.parseLong(fields[14]));
    }

    /** Writes a jar with {@link OtherAgent} and returns the option that loads it. */
    private String otherAgent(String what) throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes()
                .put(new Attributes.Name("Premain-Class"), OtherAgent.class.getName());
        Path jar = folder.resolve("other.jar");
        String entry = OtherAgent.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                InputStream in = AgentIT.class.getClassLoader().getResourceAsStream(entry)) {
            out.putNextEntry(new JarEntry(entry));
            in.transferTo(out);
        }
        return "-javaagent:" + jar + "=" + what;
    }
}
