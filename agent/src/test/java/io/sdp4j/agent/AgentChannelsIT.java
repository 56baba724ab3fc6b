package io.sdp4j.agent;

import static io.sdp4j.agent.AgentRuns.assertRan;
import static io.sdp4j.agent.AgentRuns.connections;
import static io.sdp4j.agent.AgentRuns.otherAgent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.agent.programs.AsyncConnection;
import io.sdp4j.agent.programs.NamesProvider;
import io.sdp4j.agent.programs.NoDirectMemory;
import io.sdp4j.agent.programs.OneChannel;
import io.sdp4j.agent.programs.OtherAsyncProvider;
import io.sdp4j.agent.programs.OtherSelectorProvider;
import io.sdp4j.agent.programs.SentFile;
import java.io.File;
import java.io.IOException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Channels in JVMs that know nothing of the jar. Behaviours 57, 66 and 67. */
class AgentChannelsIT {
    @TempDir private Path folder;

    @Test
    void offloadsChannels() throws IOException {
        Path report = folder.resolve("report.json");
        assertRan(channel(Jvm.agent("report=" + report), Jvm.OFFLOADS), 0);
        assertEquals(List.of(1L, 0L, 0L), connections(report));
    }

    /** Goal: a program that turns it off has the JDK's own channels. */
    @Test
    void canBeTurnedOff() {
        for (boolean on : new boolean[] {true, false}) {
            String agent = Jvm.agent("channels.enabled=" + on);
            Jvm.Outcome who = Jvm.run(OneChannel.class, List.of(agent), "who");
            assertEquals("", who.err());
            assertEquals(on, !who.outLines().equals(List.of("sun.nio.ch")), who::out);
        }
    }

    /** Goal: offloaded connections go on where the application has used up direct memory. */
    @Test
    void needsNoDirectMemory() throws IOException {
        Path report = folder.resolve("report.json");
        String most = "-XX:MaxDirectMemorySize=16m";
        Jvm.Outcome outcome =
                Jvm.run(
                        NoDirectMemory.class,
                        List.of(Jvm.agent("report=" + report), Jvm.OFFLOADS, most));
        assertRan(outcome, 0);
        assertEquals(List.of(8L, 0L, 0L), connections(report));
    }

    private static Jvm.Outcome channel(String... options) {
        return Jvm.run(OneChannel.class, List.of(options));
    }

    @Test
    @DisplayName("57: a file goes out by sendfile where a channel fell back to the kernel")
    void theKernelSendsFilesOfItsOwnConnections() throws IOException {
        Path report = folder.resolve("report.json");
        List<String> sentByKernel = List.of("same=true", "read=true");
        Jvm.Outcome plain = sentFile("-Dnone", 1 << 20);
        assertEquals(sentByKernel, plain.outLines(), plain::err);
        Jvm.Outcome fallback = sentFile(Jvm.agent("shm.enabled=false,report=" + report), 1 << 20);
        assertEquals(sentByKernel, fallback.outLines(), fallback::err);
        assertEquals(List.of(), fallback.errLines());
        assertEquals(List.of(0L, 0L, 1L), connections(report));
    }

    /** From both ends; the JDK is told of the first file, so what comes soon after it counts. */
    @Test
    @DisplayName("57: a file goes out by sendfile where a connection may move, and has not")
    void theKernelSendsFilesOfConnectionsThatMayMove() {
        for (String end : List.of("connected", "accepted")) {
            String path = folder.resolve("sent").toString();
            Jvm.Outcome sent =
                    Jvm.run(
                            SentFile.class,
                            List.of(Jvm.agent("upgrade=auto")),
                            path,
                            "1048576",
                            end);
            assertEquals(List.of("same=true", "read=true"), sent.outLines(), sent::err);
        }
    }

    @Test
    @DisplayName(
            "57: of a file short pieces are read, long ones mapped, where a channel is offloaded")
    void sendsFilesOverOffloadedConnections() throws IOException {
        Path report = folder.resolve("report.json");
        for (int piece : List.of(1 << 20, 100_000, 20_000)) {
            Jvm.Outcome offloaded = sentFile(Jvm.agent("report=" + report), piece, Jvm.OFFLOADS);
            assertEquals("same=true", offloaded.outLines().getFirst(), offloaded::err);
            if (piece <= 100_000) { // the rest of a long one may be short, and tried many times
                assertEquals("read=true", offloaded.outLines().getLast(), offloaded::err);
            }
            assertEquals(List.of(1L, 0L, 0L), connections(report));
        }
    }

    private Jvm.Outcome sentFile(String agent, int pieceBytes, String... options) {
        String path = folder.resolve("sent").toString();
        List<String> all = new ArrayList<>(List.of(options));
        all.add(agent);
        return Jvm.run(SentFile.class, all, path, "" + pieceBytes);
    }

    /** Goal: the report, and with it the doctor, tells of a refused file. */
    @Test
    @DisplayName("70: channels that lack rules are counted as such")
    void channelsAreCountedWhereTheRulesAreBad() throws IOException {
        Path rules = Files.writeString(folder.resolve("rules.conf"), "use carrots\n");
        Path report = folder.resolve("report.json");
        String agent = Jvm.agent("report=" + report + ",policy=" + rules);
        for (Class<?> program : List.of(OneChannel.class, AsyncConnection.class)) {
            assertRan(Jvm.run(program, List.of(agent)), 1);
            String text = Files.readString(report);
            assertTrue(text.contains("\"NO_RULES\":"), text);
        }
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
        Jvm.Outcome late = channel(otherAgent(folder, "selector"), agent);
        assertRan(late, 1);
        assertTrue(late.err().contains("put this -javaagent first"), late::err);
        assertEquals(List.of(0L, 0L, 0L), connections(report));
    }

    @Test
    @DisplayName("67: a provider that the program names first stays, and one line says so")
    void standsAsideForAProviderThatTheProgramNames() {
        String selectors = SelectorProvider.class.getName();
        String asynchronous = AsynchronousChannelProvider.class.getName();
        Jvm.Outcome channel = naming(selectors, OtherSelectorProvider.class.getName());
        assertEquals(List.of(OtherSelectorProvider.TEXT), channel.outLines());
        assertEquals(
                List.of(
                        "sdp4j: channels are not offloaded: "
                                + selectors
                                + " names "
                                + OtherSelectorProvider.class.getName()),
                channel.errLines());
        Jvm.Outcome async = naming(asynchronous, OtherAsyncProvider.class.getName());
        assertEquals(List.of(OtherAsyncProvider.TEXT), async.outLines());
        assertEquals(1, async.errLines().size(), async::err);
        Jvm.Outcome own = naming(selectors, "sun.nio.ch.EPollSelectorProvider");
        assertEquals(List.of("opened"), own.outLines());
        assertEquals("", own.err());
    }

    private static Jvm.Outcome naming(String property, String provider) {
        return Jvm.run(NamesProvider.class, List.of(Jvm.agent("")), property, provider);
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
}
