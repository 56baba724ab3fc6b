package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.RoundTrips;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: without any setting a connection that has carried little stays on TCP, and one that goes on
 * is offloaded, at both ends, whatever kind of socket carries it. Method: two JVMs that exchange a
 * number of messages; what their reports count.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class UpgradeIT {
    private static final List<String> AUTO =
            List.of("-Dsdp4j.upgrade=auto", "-XX:ActiveProcessorCount=2");

    @TempDir Path directory;

    private AgentReport run(
            RoundTrips.Kind kind, List<String> options, String trips, long moved, long stayed)
            throws Exception {
        return run(kind, 64, 1, options, trips, moved, stayed);
    }

    /** The client's report. */
    private AgentReport run(
            RoundTrips.Kind kind,
            int bytes,
            int connections,
            List<String> options,
            String trips,
            long moved,
            long stayed)
            throws Exception {
        String size = Integer.toString(bytes);
        String number = Integer.toString(connections);
        String classes = Jvms.classPathOf(RoundTrips.class);
        String main = RoundTrips.class.getName();
        try (Jvms jvms = new Jvms(directory)) {
            Child server =
                    jvms.java("server", true, options, classes, main, kind.name(), size, number);
            Child client =
                    jvms.java(
                            "client",
                            true,
                            options,
                            classes,
                            main,
                            kind.name(),
                            size,
                            number,
                            server.await("READY"),
                            trips);
            assertEquals("all", client.results().get("echoed"), client::toString);
            assertEquals("all", server.results().get("echoed"), server::toString);
            AgentReport made = client.report();
            if (connections > 1) { // some end before they have moved
                assertTrue(made.offloaded() > connections / 2, made::text);
                return made;
            }
            assertEquals(moved, made.offloaded(), made::text);
            assertEquals(stayed, made.policy(), made::text);
            assertEquals(0, made.fallback(), made::text);
            assertEquals(moved, made.moved(), made::text);
            AgentReport accepted = server.report();
            assertEquals(moved, accepted.acceptedOffloaded(), accepted::text);
            assertEquals(stayed, accepted.acceptedKernel(), accepted::text);
            assertEquals(moved, accepted.moved(), accepted::text);
            return made;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aShortConnectionStaysOnTcp(RoundTrips.Kind kind) throws Exception {
        run(kind, AUTO, "20", 0, 1);
    }

    /** The client ends when its connection has moved, and fails if it never does. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SELECTOR")
    void aLongOneIsOffloaded(RoundTrips.Kind kind) throws Exception {
        AgentReport made = run(kind, AUTO, "until-offloaded", 1, 0);
        assertTrue(made.movedMillis() >= 500, made::text);
        assertTrue(made.movedBytes() >= 2 * 64 * 1000, made::text);
    }

    /**
     * If nothing need be carried, the switch starts beside the program, which does not wait in its
     * connect; with one processor it waits, as it would run no sooner.
     */
    @ParameterizedTest
    @CsvSource({"SOCKET, 2, false", "CHANNEL, 2, false", "SOCKET, 1, true", "CHANNEL, 1, true"})
    void theFirstConnectWaitsForTheSwitchOnOneProcessor(
            RoundTrips.Kind kind, int processors, boolean waits) throws Exception {
        List<String> options =
                List.of(
                        "-Dsdp4j.upgrade=connect",
                        "-XX:ActiveProcessorCount=" + processors,
                        "-XX:LogClassLoadingCauseFor=io.sdp4j.offload.jdk.JdkBridge",
                        "-Xlog:class+load+cause:file=" + directory.resolve("%p.stack"));
        run(kind, options, "until-offloaded", 1, 0);
        String stack = firstStackOfTheClient();
        assertTrue(stack.contains("io.sdp4j.agent.Agent.start"), stack);
        assertEquals(waits, stack.contains("RoundTrips.main"), stack);
        assertEquals(!waits, stack.contains("EarlyStart.run"), stack);
    }

    /** The server starts the switch when it listens. */
    private String firstStackOfTheClient() throws IOException {
        try (DirectoryStream<Path> stacks = Files.newDirectoryStream(directory, "*.stack")) {
            for (Path log : stacks) {
                String first = Files.readString(log).split("Java stack when loading", 3)[1];
                if (!first.contains("Endpoint.listen")) {
                    return first;
                }
            }
        }
        throw new AssertionError("no log of the client");
    }

    /**
     * Once the rules were read for the first socket, and again by the switch, which starts later.
     */
    @Test
    void anUnknownHostIsToldOnce() throws Exception {
        String text =
                """
                use tcp client * no.such.host.invalid:80
                use both client * *:*
                use both server * *:*
                """;
        String classes = Jvms.classPathOf(RoundTrips.class);
        String main = RoundTrips.class.getName();
        String[] both = {"SOCKET", "64", "1"};
        try (Jvms jvms = new Jvms(directory)) {
            Path rules = jvms.rules("rules.conf", text);
            Child server = jvms.java("server", rules, AUTO, classes, main, both);
            String[] client = {"SOCKET", "64", "1", server.await("READY"), "until-offloaded"};
            Child moving = jvms.java("client", rules, AUTO, classes, main, client);
            assertEquals("all", moving.results().get("echoed"), moving::toString);
            long told =
                    moving.err().stream().filter(l -> l.contains("no.such.host.invalid")).count();
            assertEquals(1, told, moving::toString);
        }
    }

    /** Unless a selector watches it, which most programs are slower with. */
    @Test
    void aSelectorsOneStays() throws Exception {
        run(RoundTrips.Kind.SELECTOR, AUTO, "50000", 0, 1);
    }

    @Test
    void aSelectorsOneIsOffloadedOnRequest() throws Exception {
        run(RoundTrips.Kind.SELECTOR, List.of("-Dsdp4j.upgrade=100000"), "until-offloaded", 1, 0);
    }

    /**
     * Goal: long messages that fill the buffers of both ways go on when a connection moves amid
     * them, whichever thread gives the locks back last.
     */
    @ParameterizedTest
    @EnumSource
    void longMessagesGoOn(RoundTrips.Kind kind) throws Exception {
        run(kind, 1 << 20, 30, List.of("-Dsdp4j.upgrade=8000000"), "100", 30, 0);
    }

    /**
     * One processor has better things to do than to compile another way for bytes. Method: more of
     * them than two processors ask for, by connections that are not among the first, which stay
     * anyway, as one in a selector does.
     */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "SELECTOR")
    void onOneProcessorItStays(RoundTrips.Kind kind) throws Exception {
        List<String> one =
                List.of("-Dsdp4j.upgrade=auto", "-XX:ActiveProcessorCount=1", "-Dlate.s=6");
        run(kind, one, "100000", 0, 1);
    }
}
