package io.sdp4j.agent;

import static io.sdp4j.agent.AgentRuns.BYTE;
import static io.sdp4j.agent.AgentRuns.assertRan;
import static io.sdp4j.agent.AgentRuns.connections;
import static io.sdp4j.agent.AgentRuns.otherAgent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.programs.AsyncConnection;
import io.sdp4j.agent.programs.BeanReader;
import io.sdp4j.agent.programs.EventLoops;
import io.sdp4j.agent.programs.LastMoment;
import io.sdp4j.agent.programs.NoSocket;
import io.sdp4j.agent.programs.OneConnection;
import io.sdp4j.agent.programs.OwnAccept;
import io.sdp4j.agent.programs.Parent;
import io.sdp4j.agent.programs.Prying;
import io.sdp4j.agent.programs.Surroundings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar in JVMs that know nothing of it. Behaviours 65 to 74 and 79. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AgentIT {
    @TempDir private Path folder;

    private static Jvm.Outcome connect(String agentOptions, String... jvmOptions) {
        List<String> all = new ArrayList<>(List.of(jvmOptions));
        all.add(Jvm.agent(agentOptions));
        return Jvm.run(OneConnection.class, all);
    }

    /** Three connections, which do not begin on TCP. */
    private static Jvm.Outcome connectAsync(String agentOptions, String... jvmOptions) {
        List<String> all = new ArrayList<>(List.of(jvmOptions));
        all.add(Jvm.agent(agentOptions));
        return Jvm.run(AsyncConnection.class, all);
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    @DisplayName("65: nothing is said, and connections are offloaded")
    void isSilentAndOffloads() throws IOException {
        Path report = folder.resolve("report.json");
        assertRan(connect("report=" + report, Jvm.OFFLOADS), 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
    }

    /** Goal: no thread of ours that sleeps in the kernel holds up the end, which takes 300 ms. */
    @Test
    void theEndOfTheJvmIsNotHeldUp() {
        long least = Long.MAX_VALUE;
        for (int n = 0; n < 5; n++) {
            Jvm.Outcome outcome = Jvm.run(LastMoment.class, List.of(Jvm.agent("")));
            long ended = System.nanoTime();
            assertEquals("", outcome.err());
            least = Math.min(least, ended - Long.parseLong(outcome.outLines().getLast()));
        }
        assertTrue(least < TimeUnit.MILLISECONDS.toNanos(200), least + " ns");
    }

    @Test
    @DisplayName("65: nothing is said with native access on the command line either")
    void isSilentWithNativeAccessOnTheCommandLine() {
        assertRan(connect("", "--enable-native-access=ALL-UNNAMED"), 0);
    }

    @Test
    @DisplayName("65: no option ends the application")
    void survivesBadOptions() {
        for (String bad :
                List.of("nonsense=1", "connect.timeout.ms=soon", "upgrade=soon", "=,=,\\")) {
            Jvm.Outcome outcome = connect(bad);
            assertEquals(BYTE, outcome.outLines(), bad);
            assertTrue(outcome.errLines().size() <= 1, outcome::err);
            outcome.errLines().forEach(line -> assertTrue(line.startsWith("sdp4j: "), line));
        }
        assertTrue(connect("nonsense=1").err().contains("'sdp4j.nonsense' is unknown"));
    }

    @Test
    void aBadUpgradeIsToldAtTheStart() {
        String agent = Jvm.agent("upgrade=conect");
        Jvm.Outcome outcome =
                Jvm.java(List.of(agent, "-cp", Jvm.classes(), NoSocket.class.getName()));
        String line =
                "sdp4j.upgrade: 'conect' is not connect, auto or a number of bytes; using auto";
        assertEquals(List.of("sdp4j: " + line), outcome.errLines());
    }

    @Test
    void isQuietWhenTold() {
        assertRan(connect("quiet,nonsense=1"), 0);
    }

    @Test
    void aMisspeltQuietIsNotQuiet() {
        Jvm.Outcome outcome = connect("", Jvm.agent("quiet=flase"));
        assertRan(outcome, 2);
        assertTrue(outcome.errLines().getFirst().contains("found 'flase'"), outcome::err);
        assertTrue(outcome.err().contains("given twice"), outcome::err);
    }

    @Test
    void theLogHasWhatStandardErrorIsNotTold() throws IOException {
        Path log = folder.resolve("log");
        assertRan(connect("quiet,nonsense=1,log.file=" + log), 0);
        List<String> lines = Files.readAllLines(log);
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains(" WARN Console: "), lines::toString);
        assertTrue(lines.getFirst().contains("'sdp4j.nonsense' is unknown"), lines::toString);
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
                    Jvm.run(NoSocket.class, List.of(otherAgent(folder, which), Jvm.agent("")));
            assertEquals(0, outcome.exitCode());
            assertEquals(1, outcome.errLines().size(), outcome::err);
            assertTrue(outcome.err().contains("another socket factory"), outcome::err);
        }
    }

    /** Goal: requested log lines are seen, also without any configured logging. */
    @Test
    void debugIsSeenOnAPlainJvm() {
        Jvm.Outcome outcome = connect("log.level=debug,shm.enabled=false,verbs.enabled=false");
        assertEquals(BYTE, outcome.outLines());
        assertTrue(outcome.err().contains(" is not offloaded: "), outcome::err);
        assertTrue(outcome.err().contains(" DEBUG "), outcome::err);
    }

    /** Goal: offload that is lost to what the operator can mend is told once, with what to do. */
    @Test
    void anUnusableDirectoryIsToldOnce() throws IOException {
        Path file = file("place", "not a directory");
        Path log = folder.resolve("log");
        assertRan(connect("shm.dir=" + file + ",log.file=" + log), 0);
        List<String> lines =
                Files.readAllLines(log).stream()
                        .filter(line -> line.contains(" is not offloaded: "))
                        .toList();
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains(" WARN "), lines::toString);
        assertTrue(lines.getFirst().contains(file.toString()), lines::toString);
        assertTrue(lines.getFirst().contains("doctor"), lines::toString);
    }

    /** Goal: both ends of two connections meet a limit, and the operator reads of it once. */
    @Test
    void aLimitOfMemoryIsToldOnce() throws IOException {
        Path log = folder.resolve("log");
        assertRan(connectAsync("memory.max.mb=1,log.file=" + log), 0);
        List<String> lines =
                Files.readAllLines(log).stream()
                        .filter(line -> line.contains(" is not offloaded: "))
                        .toList();
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.getFirst().contains(" WARN "), lines::toString);
        assertTrue(lines.getFirst().contains("reason MEMORY, told once"), lines::toString);
        assertTrue(lines.getFirst().contains("raise that limit"), lines::toString);
        assertTrue(lines.getFirst().contains("sdp4j.memory.max.mb"), lines::toString);
    }

    @Test
    void asksForAMistypedOption() {
        Jvm.Outcome outcome = connect("repotr=x");
        assertRan(outcome, 1);
        assertTrue(outcome.err().contains("did you mean 'sdp4j.report'?"), outcome::err);
    }

    @Test
    @DisplayName("73: denied native access")
    void obeysDeniedNativeAccess() throws IOException {
        Path report = folder.resolve("report.json");
        Jvm.Outcome outcome = connectAsync("report=" + report, "--illegal-native-access=deny");
        assertRan(outcome, 1);
        assertTrue(outcome.err().contains("native access is denied"), outcome::err);
        assertEquals(List.of(0L, 0L, 3L), connections(report));
    }

    @Test
    @DisplayName("68, 71: the application's view is as without")
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

    /** Goal: the agent's rights are not passed on to every library. */
    @Test
    void reflectionFindsNothingThatOnlyAnAgentMayHave() {
        Jvm.Outcome outcome = Jvm.run(Prying.class, List.of(Jvm.agent("")), Jvm.JAR.toString());
        assertEquals("", outcome.err());
        assertEquals(1, outcome.outLines().size(), outcome::out);
        String[] seen = outcome.outLines().getFirst().split(" ", -1);
        assertTrue(Integer.parseInt(seen[1]) > 300, outcome::out);
        // few: most packages are exported to modules of ours alone
        assertTrue(Integer.parseInt(seen[3]) > 50, outcome::out);
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
        assertRan(connectAsync("report=" + report, property), 0);
        assertEquals(List.of(3L, 0L, 0L), connections(report));
        Jvm.Outcome late =
                connectAsync("report=" + report, property, otherAgent(folder, "nethooks"));
        assertRan(late, 0);
        assertEquals(List.of(3L, 0L, 0L), connections(report));
        Jvm.Outcome seen = Jvm.run(Surroundings.class, List.of(property, Jvm.agent("")));
        assertTrue(seen.out().contains("com.sun.sdp.conf=" + rules));
    }

    @Test
    void usesTheKernelByRule() throws IOException {
        Path rules = file("rules.conf", "use tcp client * *:*\nuse both server * *:*\n");
        for (String prefix : List.of("", "sdp4j.")) { // options may have the properties' names
            Path report = folder.resolve(prefix + "report.json");
            assertRan(connect(prefix + "report=" + report + "," + prefix + "policy=" + rules), 0);
            assertEquals(List.of(0L, 1L, 0L), connections(report));
        }
    }

    /** A name that is not absolute counts from there, for each look at the file. */
    @Test
    void readsRulesWhereTheProgramSaysItIs() throws IOException {
        Path _ = file("rules.conf", "use tcp client * *:*\nuse both server * *:*\n");
        Path report = folder.resolve("report.json");
        String agent = "-javaagent:" + Jvm.JAR.toAbsolutePath();
        agent += "=policy=rules.conf,report=" + report;
        assertRan(Jvm.run(OneConnection.class, List.of("-Duser.dir=" + folder, agent)), 0);
        assertEquals(List.of(0L, 1L, 0L), connections(report));
    }

    @Test
    void theReportsNameHasNoBlanksAround() throws IOException {
        Path report = folder.resolve("report.json");
        assertRan(connect("", "-Dsdp4j.report= " + report + " ", Jvm.OFFLOADS), 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
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

    /** Goal: where rules are required and cannot be read, no connection is made by TCP. */
    @Test
    void refusesWhereRulesAreRequiredAndBad() throws IOException {
        Path bad = file("rules.conf", "use carrots client * *:*\n");
        Path good = file("tcp.conf", "use tcp client * *:*\nuse tcp server * *:*\n");
        for (String upgrade : List.of("auto", "connect")) {
            String options = "policy.required=true,shm.enabled=false,upgrade=" + upgrade;
            options += ",policy=";
            for (Path rules : List.of(bad, folder.resolve("none"))) {
                Jvm.Outcome outcome =
                        Jvm.run(OneConnection.class, List.of(Jvm.agent(options + rules)));
                assertEquals(1, outcome.exitCode(), outcome::err);
                assertEquals("", outcome.out());
                assertTrue(outcome.err().contains("cannot be offloaded is refused"));
            }
            Jvm.Outcome outcome = Jvm.run(OneConnection.class, List.of(Jvm.agent(options + good)));
            assertEquals(BYTE, outcome.outLines(), outcome::err);
        }
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

    /** Goal: where there is no room for a report, no part of it stays. */
    @Test
    void leavesNothingOfAReportWithoutRoom() throws IOException {
        String agent = Jvm.agent("report=" + folder.resolve("r.json"));
        List<String> command = new ArrayList<>(List.of("sh", "-c", "ulimit -f 0; exec \"$@\"", ""));
        command.addAll(List.of(Jvm.java().toString(), "-XX:-UsePerfData", agent));
        command.addAll(List.of("-cp", Jvm.classes(), NoSocket.class.getName()));
        assertEquals(0, Jvm.process(command, Map.of()).exitCode());
        try (var files = Files.list(folder)) {
            assertEquals(List.of(), files.toList());
        }
    }

    @Test
    void reportsThroughJmx() {
        Jvm.Outcome outcome =
                Jvm.run(
                        BeanReader.class,
                        List.of(Jvm.OFFLOADS, Jvm.agent("connect.timeout.ms=60000")));
        assertEquals("", outcome.err());
        Map<?, ?> report = (Map<?, ?>) JsonReader.parse(outcome.outLines().getFirst());
        assertEquals(
                List.of("connections", "accepted", "moved", "bytes", "reasons", "pid"),
                List.copyOf(report.keySet()));
        assertEquals("0", outcome.outLines().get(1));
    }

    /** The server is there before the socket, so the bean would come at once. */
    @Test
    void registersNothingWhereJmxIsOff() {
        for (boolean jmx : new boolean[] {true, false}) {
            String agent = Jvm.agent("connect.timeout.ms=60000,jmx=" + jmx);
            String millis = jmx ? "15000" : "1000";
            Jvm.Outcome outcome = Jvm.run(BeanReader.class, List.of(Jvm.OFFLOADS, agent), millis);
            assertEquals("", outcome.err());
            assertEquals(List.of(Boolean.toString(jmx)), outcome.outLines());
        }
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
        assertTrue(
                attachedLate(OneConnection.class, report).startsWith("sdp4j: attached late: sock"));
        assertEquals(List.of(1L, 0L, 0L), connections(report));
    }

    @Test
    void leavesSocketsAloneIfAListenerCouldNotAcceptAnyMore() throws Exception {
        Path report = folder.resolve("report.json");
        String told = attachedLate(OwnAccept.class, report);
        assertTrue(told.startsWith("sdp4j: attached late: channels made"), told);
        assertTrue(told.contains(OwnAccept.class.getName()), told);
        assertEquals(List.of(0L, 0L, 0L), connections(report));
    }

    /** Once the agent is there the program makes a connection; the first line of the agent. */
    private static String attachedLate(Class<?> program, Path report) throws Exception {
        Process process =
                Jvm.builder(
                                List.of(
                                        Jvm.java().toString(),
                                        "-XX:+EnableDynamicAgentLoading",
                                        Jvm.OFFLOADS,
                                        "-cp",
                                        Jvm.classes(),
                                        program.getName(),
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
            return err.readLine();
        } finally {
            process.destroyForcibly();
        }
    }

    /** A shaded copy of Netty is named by its whole package; one that is only loaded is not. */
    @Test
    void tellsOfNativeTransportsThatRun() throws IOException {
        String flink = "org.apache.flink.shaded.netty4.io.netty";
        for (String[] copies : new String[][] {{"io.netty", flink}, {flink, "io.netty"}}) {
            Path log = folder.resolve("log-" + copies[1]);
            Jvm.Outcome outcome =
                    Jvm.run(
                            EventLoops.class,
                            List.of(Jvm.agent("log.file=" + log)),
                            log.toString(),
                            copies[0] + ".channel.epoll.EpollEventLoop",
                            copies[1] + ".channel.epoll.EpollEventLoop");
            assertEquals(0, outcome.exitCode(), outcome::err);
            List<String> told =
                    Files.readAllLines(log).stream().filter(l -> l.contains("noNative")).toList();
            assertEquals(1, told.size(), told::toString);
            assertTrue(told.getFirst().contains("native transport of " + copies[1] + " "));
            assertTrue(told.getFirst().endsWith(" -D" + copies[1] + ".transport.noNative=true"));
        }
    }

    /** As an operator does it, who also may forget the quotes, which jcmd wants. */
    @Test
    void aLateAgentReportsWithoutASocket() throws Exception {
        Path report = folder.resolve("late.json");
        String err = late("\"report=" + report + "\"");
        assertTrue(err.contains("sdp4j: attached late"), err);
        assertEquals(List.of(0L, 0L, 0L), connections(report));
        assertTrue(late().contains("no options came with it"));
    }

    /** The standard error of a program that opens no socket, given the agent by jcmd. */
    private String late(String... options) throws Exception {
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
            List<String> command =
                    new ArrayList<>(
                            List.of(
                                    Jvm.java().resolveSibling("jcmd").toString(),
                                    Long.toString(process.pid()),
                                    "JVMTI.agent_load",
                                    Jvm.JAR.toAbsolutePath().toString()));
            command.addAll(List.of(options));
            Jvm.Outcome loaded = Jvm.process(command, Map.of());
            assertEquals(0, loaded.exitCode(), loaded::err);
            // SIGTERM, on which hooks run; the process' own method would close its streams
            assertTrue(process.toHandle().destroy());
            assertEquals(143, process.waitFor());
            return String.join("\n", err.lines().toList());
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void saysAtTheStartThatAReportHasNoPlace() throws Exception {
        Path folderOfNone = folder.resolve("none");
        String wrong = "report=" + folderOfNone.resolve("r.json");
        String line = "sdp4j: no report: " + wrong + " is in " + folderOfNone;
        Jvm.Outcome early = connect(wrong);
        assertEquals(0, early.exitCode(), early::err);
        assertTrue(early.out().contains("byte=42"), early::out);
        assertEquals(1, early.errLines().size(), early::err);
        assertTrue(early.err().startsWith(line), early::err);
        String late = late("\"" + wrong + "\"");
        assertEquals(1, late.lines().filter(l -> l.startsWith(line)).count(), late);
        Jvm.Outcome directory = connect("report=" + folder);
        assertTrue(directory.err().contains("is a directory, name a file"), directory::err);
    }

    /** Goal: an Error of ours does not reach the program's handler, which may end the JVM there. */
    @Test
    void saysThatABrokenJarMakesNoReport() throws Exception {
        Path jar = Files.copy(Jvm.JAR, folder.resolve("broken.jar"));
        try (FileSystem inside = FileSystems.newFileSystem(jar)) {
            String type = "sdp4j-modules/io.sdp4j.agent/io/sdp4j/agent/Agent.class";
            Files.writeString(inside.getPath(type), "not a class");
        }
        String agent = "-javaagent:" + jar + "=report=" + folder.resolve("r.json");
        Jvm.Outcome outcome = Jvm.run(NoSocket.class, List.of(agent));
        assertEquals(1, outcome.errLines().size(), outcome::err);
        assertTrue(outcome.err().startsWith("sdp4j: no report: "), outcome::err);
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
}
