package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.e2e.programs.RoundTrips;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
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

    private void run(
            RoundTrips.Kind kind, List<String> options, String trips, long moved, long stayed)
            throws Exception {
        String classes = Jvms.classPathOf(RoundTrips.class);
        String main = RoundTrips.class.getName();
        try (Jvms jvms = new Jvms(directory)) {
            Child server = jvms.java("server", true, options, classes, main, kind.name());
            Child client =
                    jvms.java(
                            "client",
                            true,
                            options,
                            classes,
                            main,
                            kind.name(),
                            server.await("READY"),
                            trips);
            assertEquals("all", client.results().get("echoed"), client::toString);
            assertEquals("all", server.results().get("echoed"), server::toString);
            AgentReport made = client.report();
            assertEquals(moved, made.offloaded(), made::text);
            assertEquals(stayed, made.policy(), made::text);
            assertEquals(0, made.fallback(), made::text);
            AgentReport accepted = server.report();
            assertEquals(moved, accepted.acceptedOffloaded(), accepted::text);
            assertEquals(stayed, accepted.acceptedKernel(), accepted::text);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aShortConnectionStaysOnTcp(RoundTrips.Kind kind) throws Exception {
        run(kind, AUTO, "20", 0, 1);
    }

    /** The client ends when its connection has moved, and fails if it never does. */
    @ParameterizedTest
    @EnumSource
    void aLongOneIsOffloaded(RoundTrips.Kind kind) throws Exception {
        run(kind, AUTO, "until-offloaded", 1, 0);
    }

    /** One processor has better things to do than to compile another way for bytes. */
    @ParameterizedTest
    @EnumSource
    void onOneProcessorItStays(RoundTrips.Kind kind) throws Exception {
        List<String> one = List.of("-Dsdp4j.upgrade=auto", "-XX:ActiveProcessorCount=1");
        run(kind, one, "20000", 0, 1);
    }
}
