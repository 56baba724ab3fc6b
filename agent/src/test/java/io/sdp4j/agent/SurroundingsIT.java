package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.programs.AsyncConnection;
import io.sdp4j.agent.programs.LoopbackPrinter;
import io.sdp4j.agent.programs.NoSocket;
import io.sdp4j.agent.programs.OneChannel;
import io.sdp4j.agent.programs.OneConnection;
import io.sdp4j.agent.programs.OwnGroup;
import io.sdp4j.agent.programs.RewritingAgent;
import io.sdp4j.e2e.AgentReport;
import io.sdp4j.e2e.programs.Proxied;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The agent in JVMs that are not the usual ones, and what it says before the first socket. */
class SurroundingsIT {
    @TempDir private Path folder;

    /** With time enough for slow class loading: what counts here is whether, not how soon. */
    private static String agentReportingTo(Path report) {
        return Jvm.agent("connect.timeout.ms=60000,report=" + report);
    }

    private static void assertOffloaded(Jvm.Outcome outcome, Path report, int connections)
            throws IOException {
        assertEquals(0, outcome.exitCode(), outcome::err);
        assertTrue(outcome.outLines().contains("byte=42"), outcome::out);
        assertEquals("", outcome.err());
        assertEquals(connections, AgentReport.read(report).offloaded());
    }

    /** Goal: a runtime of the two modules that every agent needs is enough. */
    @Test
    @DisplayName("74: a linked image with java.instrument")
    void runsInASmallLinkedImage() throws IOException {
        Path image = folder.resolve("image");
        Path report = folder.resolve("report.json");
        Jvm.Outcome linked =
                Jvm.process(
                        List.of(
                                Jvm.java().resolveSibling("jlink").toString(),
                                "--add-modules",
                                "java.base,java.instrument",
                                "--output",
                                image.toString()),
                        Map.of());
        assertEquals(0, linked.exitCode(), linked::err);
        assertOffloaded(
                Jvm.process(
                        List.of(
                                image.resolve("bin/java").toString(),
                                agentReportingTo(report),
                                Jvm.OFFLOADS,
                                "-cp",
                                Jvm.classes(),
                                OneConnection.class.getName()),
                        Map.of()),
                report,
                1);
    }

    /**
     * Goal: an agent that rewrites our classes and the JDK's sockets does no harm, in any order.
     */
    @Test
    @DisplayName("72: another agent rewrites classes")
    void standsBesideAnAgentThatRewritesClasses() throws IOException {
        Path other = rewritingAgent();
        for (boolean first : new boolean[] {true, false}) {
            Path report = folder.resolve("report-" + first + ".json");
            List<String> options = new ArrayList<>(List.of(agentReportingTo(report)));
            options.add(first ? 0 : 1, "-javaagent:" + other);
            Jvm.Outcome outcome = Jvm.run(AsyncConnection.class, options);
            assertOffloaded(outcome, report, 3);
            assertTrue(
                    outcome.outLines().contains("rewritten jdk=true sdp4j=true failed=0"),
                    outcome::out);
        }
    }

    /**
     * Goal: what the agent changes in a class of the JDK stays when another one changes it later.
     */
    @Test
    @DisplayName("72: another agent rewrites the JDK's SOCKS client")
    void anSdpRuleHoldsForAProxyBesideSuchAnAgent() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.conf"), "use sdp client * *:1\n");
        Path other = rewritingAgent();
        for (boolean first : new boolean[] {true, false}) {
            List<String> options = new ArrayList<>(List.of(Jvm.agent("policy=" + rules)));
            options.add(first ? 0 : 1, "-javaagent:" + other);
            Jvm.Outcome outcome = Jvm.run(Proxied.class, options, "named", "1", "2", "20000");
            assertTrue(outcome.out().contains("because of a SOCKS proxy"), outcome::out);
        }
    }

    private Path rewritingAgent() throws IOException {
        return AgentRuns.jar(
                folder.resolve("rewriting.jar"),
                Map.of(
                        "Premain-Class",
                        RewritingAgent.class.getName(),
                        "Can-Retransform-Classes",
                        "true"),
                AgentRuns.entries(RewritingAgent.class, nested("Rewriter"), nested("1")));
    }

    private static Class<?> nested(String name) {
        try {
            return Class.forName(RewritingAgent.class.getName() + "$" + name);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Goal: on a system that the switch does not know, a program has the JDK's own sockets and
     * channels, and one line says why.
     */
    @ParameterizedTest
    @ValueSource(strings = {"os.name=Other", "os.arch=riscv64"})
    void stepsAsideOnAnotherSystem(String other) throws IOException {
        Path report = folder.resolve("report.json");
        String own = Jvm.run(OneChannel.class, List.of(), "who").out();
        for (String options : List.of("", "quiet", "report=" + report)) {
            List<String> jvm = List.of("-D" + other, Jvm.agent(options));
            Jvm.Outcome who = Jvm.run(OneChannel.class, jvm, "who");
            assertEquals(own, who.out());
            List<String> lines = who.errLines();
            assertEquals(options.equals("quiet") ? 0 : 1, lines.size(), who::err);
            for (String line : lines) {
                assertTrue(line.startsWith("sdp4j: off, "), line);
                String system = other.substring(other.indexOf('=') + 1);
                assertTrue(line.contains("needs Linux") && line.contains(system), line);
            }
        }
        assertTrue(Files.readString(report).contains("needs Linux on x86-64 or AArch64"));
        for (Class<?> program : List.of(OneChannel.class, OneConnection.class)) {
            Jvm.Outcome outcome = Jvm.run(program, List.of("-D" + other, Jvm.agent("quiet")));
            assertEquals("byte=42\n", outcome.out(), outcome::err);
            assertEquals("", outcome.err());
        }
    }

    /**
     * Goal: a program that counts, awaits or interrupts the threads of its groups meets none of
     * ours. Method: every way to connect, before connect returns and by a move; a host name that is
     * looked up, and a line about it.
     */
    @Test
    void hasNoThreadInTheProgramsGroups() throws IOException {
        Path hosts = Files.writeString(folder.resolve("hosts"), "");
        for (String rule : List.of("use sdp client * *:*", "use both client * *:*")) {
            Path rules =
                    Files.writeString(
                            folder.resolve("rules.conf"),
                            "use tcp client * unknown.host:1\nuse both server * *:*\n" + rule);
            Jvm.Outcome outcome =
                    Jvm.run(
                            OwnGroup.class,
                            List.of(
                                    Jvm.agent("connect.timeout.ms=60000,policy=" + rules),
                                    "-Djdk.net.hosts.file=" + hosts));
            assertEquals(0, outcome.exitCode(), outcome::err);
            assertTrue(outcome.outLines().contains("inside=[]"), outcome::out);
            String outside = outcome.outLines().getLast();
            assertTrue(outside.contains("sdp4j-caretaker"), outside);
            assertTrue(outside.contains("sdp4j-transports"), outside);
        }
    }

    /** Goal: mistakes are reported without any socket, too, once, at the top of the output. */
    @Test
    void tellsMistakesAtTheStart() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.conf"), "use carrots client * *:*\n");
        String options = "policy=" + rules + ",carrots=7,connect.timeout.ms=soon";
        for (Class<?> program : List.of(NoSocket.class, OneConnection.class)) {
            Jvm.Outcome outcome = Jvm.run(program, List.of(Jvm.agent(options)));
            assertEquals(0, outcome.exitCode());
            List<String> lines = outcome.errLines();
            assertEquals(3, lines.size(), outcome::err);
            assertTrue(
                    lines.get(0).contains("sdp4j.connect.timeout.ms: found 'soon'"), lines.get(0));
            assertTrue(lines.get(1).contains("'sdp4j.carrots' is unknown"), lines.get(1));
            assertTrue(lines.get(2).contains("rules.conf:1:5: found 'carrots'"), lines.get(2));
            assertEquals("", Jvm.run(program, List.of(Jvm.agent(options + ",quiet"))).err());
        }
    }

    /** Goal: looking at the rules early takes nothing from the application. */
    @Test
    void leavesTheJdksNetworkSettingsOpen() throws IOException {
        Path rules =
                Files.writeString(
                        folder.resolve("rules.conf"),
                        """
                        use tcp client * 10.0.0.0/8:*
                        use tcp client * [fd00::]/8:*
                        use tcp client * no-such-host.invalid:80
                        """);
        Jvm.Outcome plain = Jvm.run(LoopbackPrinter.class, List.of());
        Jvm.Outcome with = Jvm.run(LoopbackPrinter.class, List.of(Jvm.agent("policy=" + rules)));
        assertEquals(plain.out(), with.out());
        assertEquals("", with.err());
    }
}
