package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.agent.programs.OneConnection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The command line as a user meets it: {@code java -jar sdp4j-agent.jar}. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CommandLineIT {
    private static final List<String> OTHER_USER =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

    @TempDir private Path folder;

    @Test
    void helpsOnEverything() {
        assertEquals(0, Jvm.cli().exitCode());
        assertEquals(0, Jvm.cli("--help").exitCode());
        for (String command : List.of("demo", "run", "doctor", "explain", "trace", "bench")) {
            Jvm.Outcome outcome = Jvm.cli(command, "--help");
            assertEquals(0, outcome.exitCode(), outcome::err);
            assertTrue(outcome.out().contains("sdp4j " + command), outcome::out);
            assertEquals("", outcome.err());
        }
    }

    @Test
    void tellsWrongUsage() {
        assertEquals(2, Jvm.cli("dance").exitCode());
        assertEquals(2, Jvm.cli("demo", "--seconds=-1").exitCode());
        assertEquals(2, Jvm.cli("demo", "--seconds=nan").exitCode());
        assertEquals(2, Jvm.cli("run").exitCode());
        assertEquals(2, Jvm.cli("explain").exitCode());
        assertEquals(2, Jvm.cli("explain", "nonsense").exitCode());
        assertEquals(2, Jvm.cli("trace").exitCode());
        assertEquals(2, Jvm.cli("trace", "--json", "--diagram", "x").exitCode());
    }

    @Test
    void theDemoNeedsATemporaryDirectory() {
        String nowhere = "-Djava.io.tmpdir=" + folder.resolve("none");
        Jvm.Outcome outcome = Jvm.java(List.of(nowhere, "-jar", Jvm.JAR.toString(), "demo"));
        assertEquals(69, outcome.exitCode(), outcome::err);
        String says = "sdp4j: no directory for temporary files";
        assertTrue(outcome.errLines().getLast().startsWith(says), outcome::err);
    }

    @Test
    void refusesWhatIsNoTrace() throws IOException {
        Path file = Files.writeString(folder.resolve("t"), "use both client * *:*\n");
        Jvm.Outcome outcome = Jvm.cli("trace", file.toString());
        assertEquals(1, outcome.exitCode());
        assertEquals(1, outcome.errLines().size(), outcome::err);
        assertTrue(outcome.err().contains("is not a trace"), outcome::err);
        assertEquals(69, Jvm.cli("trace", folder.resolve("none").toString()).exitCode());
        assertEquals(69, Jvm.cli("trace", folder.toString()).exitCode());
    }

    @Test
    void explainsForPeopleAndPrograms() throws IOException {
        Path rules = Files.writeString(folder.resolve("r.conf"), "use tcp client * 127.0.0.1:80\n");
        String[] question = {"explain", "--policy", rules.toString(), "127.0.0.1:80"};
        Jvm.Outcome people = Jvm.cli(question);
        assertEquals(0, people.exitCode(), people::err);
        assertTrue(people.out().contains("Ends: kernel TCP"), people::out);
        Jvm.Outcome program =
                Jvm.cli("explain", "--json", "--policy", rules.toString(), "127.0.0.1:80");
        Map<?, ?> answer = (Map<?, ?>) JsonReader.parse(program.out());
        assertEquals("tcp", answer.get("decision"));
        assertEquals(rules + ":1", answer.get("origin"));
    }

    @Test
    void lintsRules() throws IOException {
        Path rules =
                Files.writeString(
                        folder.resolve("r.conf"), "use both client * *:*\nuse tcp client * *:80\n");
        Jvm.Outcome outcome = Jvm.cli("explain", "--lint", "--policy", rules.toString());
        assertEquals(1, outcome.exitCode(), outcome::err);
        assertTrue(outcome.out().contains("r.conf:2"), outcome::out);
    }

    @Test
    void refusesBadRules() throws IOException {
        Path rules = Files.writeString(folder.resolve("r.conf"), "use\n");
        assertEquals(1, Jvm.cli("explain", "--policy", rules.toString(), "127.0.0.1:1").exitCode());
        Jvm.Outcome doctor = Jvm.cli("doctor", "--policy", rules.toString());
        assertEquals(1, doctor.exitCode());
        assertTrue(doctor.outLines().getFirst().startsWith("FAIL: "), doctor::out);
    }

    @Test
    void givesAVerdictPerLine() {
        Jvm.Outcome outcome = Jvm.cli("doctor", "--json");
        Map<?, ?> answer = (Map<?, ?>) JsonReader.parse(outcome.out());
        List<?> checks = (List<?>) answer.get("checks");
        assertEquals(10, checks.size());
        assertEquals(0, outcome.exitCode(), outcome::out);
        Jvm.Outcome people = Jvm.cli("doctor");
        List<String> lines = people.outLines();
        assertEquals(12, lines.size(), people::out);
        assertEquals("OK: nothing stands in the way of offload", lines.getFirst());
        assertEquals(lines.getFirst(), answer.get("summary"));
        assertEquals("ok", answer.get("verdict"));
        lines.stream()
                .skip(2)
                .forEach(line -> assertTrue(line.matches("(OK|WARN|FAIL|SKIP) .*"), line));
        assertTrue(people.out().contains("SKIP  native transports"), people::out);
        assertTrue(people.out().matches("(?s).*OK    memfd +made, sealed and mapped.*"));
    }

    @Test
    void aQuickLookSendsAFewBlocks() {
        Jvm.Outcome quick = Jvm.cli("doctor", "--quick");
        assertEquals(0, quick.exitCode(), quick::out);
        String some = "(?s).*self-test +[1-9][0-9]{5,6} bytes over \\[shm], all intact.*";
        assertTrue(quick.out().matches(some), quick::out);
    }

    @Test
    void looksAtAProcess() throws Exception {
        for (boolean agent : new boolean[] {true, false}) {
            List<String> command = new ArrayList<>();
            command.add(Jvm.java().toString());
            if (agent) {
                command.addAll(List.of(Jvm.agent(""), Jvm.OFFLOADS));
            }
            command.addAll(List.of("-XX:+EnableDynamicAgentLoading", "-cp", Jvm.classes()));
            command.addAll(List.of(OneConnection.class.getName(), "stay"));
            Process process = Jvm.builder(command).start();
            try (var out = process.inputReader();
                    var err = process.errorReader()) {
                assertEquals("byte=42", out.readLine());
                Jvm.Outcome doctor = Jvm.cli("doctor", "--pid", "" + process.pid());
                process.getOutputStream().close();
                assertEquals(0, process.waitFor());
                assertEquals(null, err.readLine());
                assertEquals(agent ? 0 : 1, doctor.exitCode(), doctor::out);
                assertTrue(doctor.out().contains("OK    process"), doctor::out);
                String says =
                        agent
                                ? "2 were offloaded, 0 stayed on TCP, by reason: {OFFLOADED=2}"
                                : "FAIL  agent                not in this process; start it with";
                assertTrue(doctor.out().contains(says), doctor::out);
            } finally {
                process.destroyForcibly();
            }
        }
    }

    /** Goal: a process that cannot read what the doctor writes is understood, too. */
    @Test
    void looksAtAProcessOfAnotherUser() throws Exception {
        Path jar = Jvm.JAR.toAbsolutePath();
        List<String> look = new ArrayList<>(OTHER_USER);
        look.addAll(List.of("test", "-r", jar.toString()));
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")));
        assumeTrue(Jvm.process(look, Map.of()).exitCode() == 0, "cannot be another user");
        List<String> command = new ArrayList<>(OTHER_USER);
        command.addAll(List.of(Jvm.java().toString(), "-javaagent:" + jar));
        command.addAll(List.of("-XX:+EnableDynamicAgentLoading", "-cp", Jvm.classes()));
        command.addAll(List.of(OneConnection.class.getName(), "wait"));
        Process process = Jvm.builder(command).start();
        try (var out = process.inputReader()) {
            assertEquals("waiting", out.readLine());
            Jvm.Outcome doctor = Jvm.cli("doctor", "--pid", "" + process.pid());
            assertEquals(0, doctor.exitCode(), doctor::out);
            assertTrue(doctor.out().contains("OK    agent "), doctor::out);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void saysWhyTheAgentOfAProcessIsOff() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Jvm.java().toString());
        command.addAll(List.of(AgentRuns.otherAgent(folder, "client"), Jvm.agent("quiet")));
        command.addAll(List.of("-XX:+EnableDynamicAgentLoading", "-cp", Jvm.classes()));
        command.addAll(List.of(OneConnection.class.getName(), "wait"));
        Process process = Jvm.builder(command).start();
        try (var out = process.inputReader()) {
            assertEquals("waiting", out.readLine());
            Jvm.Outcome doctor = Jvm.cli("doctor", "--pid", "" + process.pid());
            assertEquals(1, doctor.exitCode(), doctor::out);
            String says = "FAIL  agent                in this process, and off: another socket";
            assertTrue(doctor.out().contains(says), doctor::out);
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void saysWhyAProcessCannotBeAsked() throws Exception {
        for (String wrong : List.of("0", "-5", "1999999999")) {
            Jvm.Outcome none = Jvm.cli("doctor", "--pid=" + wrong);
            assertEquals(1, none.exitCode(), none::out);
            assertTrue(none.out().contains("there is no process " + wrong), none::out);
        }
        Process sleep = new ProcessBuilder("sleep", "60").start();
        try {
            Jvm.Outcome noJvm = Jvm.cli("doctor", "--pid", "" + sleep.pid());
            assertEquals(1, noJvm.exitCode(), noJvm::out);
            assertTrue(noJvm.out().contains("cannot be asked"), noJvm::out);
            assertTrue(noJvm.out().contains("it must be a JVM"), noJvm::out);
        } finally {
            sleep.destroyForcibly();
        }
    }

    @Test
    void saysWhyAProcessThatLoadsNoAgentCannotBeAsked() throws Exception {
        Process closed =
                Jvm.builder(
                                List.of(
                                        Jvm.java().toString(),
                                        "-XX:-EnableDynamicAgentLoading",
                                        "-cp",
                                        Jvm.classes(),
                                        OneConnection.class.getName(),
                                        "stay"))
                        .start();
        try (var out = closed.inputReader()) {
            assertEquals("byte=42", out.readLine());
            String told = Jvm.cli("doctor", "--pid", "" + closed.pid()).out();
            assertTrue(told.contains("EnableDynamicAgentLoading it answers no doctor"), told);
        } finally {
            closed.destroyForcibly();
        }
    }

    /** Root may ask everybody, so that another user is the one who asks. */
    @Test
    void saysWhyAProcessOfAnotherUserCannotBeAsked() throws Exception {
        List<String> other = OTHER_USER;
        List<String> look = new ArrayList<>(other);
        look.addAll(List.of("test", "-r", Jvm.JAR.toAbsolutePath().toString()));
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")));
        assumeTrue(Jvm.process(look, Map.of()).exitCode() == 0, "cannot be another user");
        Process ours =
                Jvm.builder(
                                List.of(
                                        Jvm.java().toString(),
                                        "-cp",
                                        Jvm.classes(),
                                        OneConnection.class.getName(),
                                        "stay"))
                        .start();
        try (var out = ours.inputReader()) {
            assertEquals("byte=42", out.readLine());
            List<String> doctor = new ArrayList<>(other);
            doctor.addAll(List.of(Jvm.java().toString(), "-jar"));
            doctor.addAll(List.of(Jvm.JAR.toAbsolutePath().toString(), "doctor", "--pid"));
            doctor.add("" + ours.pid());
            Jvm.Outcome told = Jvm.process(doctor, Map.of());
            assertEquals(1, told.exitCode(), told::out);
            assertTrue(told.out().contains(ours.pid() + " cannot be asked: "), told::out);
            String user = ours.info().user().orElseThrow();
            assertTrue(told.out().contains("run the doctor as its user, " + user), told::out);
        } finally {
            ours.destroyForcibly();
        }
    }

    @Test
    void findsNativeTransports() throws IOException {
        Path jar = folder.resolve("grpc-netty-shaded.jar");
        try (var out = new java.util.jar.JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(
                    new java.util.jar.JarEntry(
                            "META-INF/native/libio_grpc_netty_shaded_netty_transport_native_epoll_x86_64.so"));
        }
        Jvm.Outcome outcome = Jvm.cli("doctor", "--class-path", folder + "/*");
        assertTrue(
                outcome.out().contains("WARN  native transports    grpc-netty-shaded.jar"),
                outcome::out);
        assertTrue(
                outcome.out().contains("-Dio.grpc.netty.shaded.io.netty.transport.noNative=true"),
                outcome::out);
    }

    @Test
    void namesTheCopyOfNettyByItsWholePackage() throws IOException {
        Path jar = folder.resolve("shaded.jar");
        try (var out = new java.util.jar.JarOutputStream(Files.newOutputStream(jar))) {
            for (String copy : List.of("org_apache_flink_shaded_netty4_", "my_1own_", "")) {
                String name = "lib" + copy + "netty_transport_native_epoll_x86_64.so";
                out.putNextEntry(new java.util.jar.JarEntry("META-INF/native/" + name));
            }
        }
        String told = Jvm.cli("doctor", "--class-path", jar.toString()).out();
        for (String copy : List.of("org.apache.flink.shaded.netty4.", "my_own.", "")) {
            String option = " -D" + copy + "io.netty.transport.noNative=true";
            assertTrue(told.contains(option), told);
        }
        assertEquals(3, told.split("noNative", -1).length - 1, told);
    }

    @Test
    void runsACommandUnderTheAgent() throws IOException {
        Path report = folder.resolve("with blank, comma.json");
        Jvm.Outcome outcome =
                Jvm.cli(
                        "run",
                        "report=" + report,
                        "--",
                        Jvm.java().toString(),
                        Jvm.OFFLOADS,
                        "-cp",
                        Jvm.classes(),
                        OneConnection.class.getName());
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertEquals(List.of("byte=42"), outcome.outLines());
        assertTrue(Files.readString(report).contains("\"offloaded\":{\"shm\":1}"));
    }

    /** Goal: a word of the command is the command's, also one that the JDK's own tools expand. */
    @Test
    void passesTheCommandsWordsOn() throws IOException {
        Path file = Files.writeString(folder.resolve("words"), "one two");
        Jvm.Outcome outcome = Jvm.cli("run", "--", "echo", "@" + file, "-h");
        assertEquals(List.of("@" + file + " -h"), outcome.outLines());
    }

    @Test
    void endsWithTheCommandsCode() {
        assertEquals(7, Jvm.cli("run", "--", "sh", "-c", "exit 7").exitCode());
        assertEquals(7, Jvm.cli("run", "quiet=true", "sh", "-c", "exit 7").exitCode());
        assertEquals(127, Jvm.cli("run", "--", "no-such-command-here").exitCode());
        assertEquals(126, Jvm.cli("run", "--", folder.toString()).exitCode());
    }
}
