package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.NettySuite;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: Netty's own socket tests end under the agent as they do without it. Method: both, at the
 * same time in a JVM each; every connection within one is to itself, and so offloaded.
 */
@Tag("alone")
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NettySuiteIT {
    /**
     * Those about stream sockets that need no other host. Left out: SocketConnectionAttemptTest,
     * whose unreachable addresses are reachable on some networks.
     */
    private static final List<String> CLASSES =
            List.of(
                    "CompositeBufferGatheringWriteTest",
                    "ServerSocketSuspendTest",
                    "SocketAutoReadTest",
                    "SocketBufReleaseTest",
                    "SocketCancelWriteTest",
                    "SocketChannelNotYetConnectedTest",
                    "SocketCloseForciblyTest",
                    "SocketConditionalWritabilityTest",
                    "SocketConnectTest",
                    "SocketDataReadInitialStateTest",
                    "SocketEchoTest",
                    "SocketExceptionHandlingTest",
                    "SocketFileRegionTest",
                    "SocketFixedLengthEchoTest",
                    "SocketGatheringWriteTest",
                    "SocketHalfClosedTest",
                    "SocketMultipleConnectTest",
                    "SocketReadPendingTest",
                    "SocketRstTest",
                    "SocketShutdownOutputByPeerTest",
                    "SocketShutdownOutputBySelfTest",
                    "SocketSslGreetingTest",
                    "SocketStartTlsTest",
                    "SocketStringEchoTest",
                    "WriteBeforeRegisteredTest");

    @TempDir Path directory;
    private Jvms jvms;

    @BeforeEach
    void open() throws Exception {
        jvms = new Jvms(directory);
    }

    @AfterEach
    void close() {
        jvms.close();
    }

    private Child suite(boolean agent) throws Exception {
        return jvms.java(
                "Netty's tests",
                agent,
                List.of("-Dio.netty.transport.noNative=true"),
                Comparison.programs(),
                NettySuite.class.getName(),
                CLASSES.toArray(String[]::new));
    }

    private static Map<String, String> results(Child suite) throws Exception {
        return new TreeMap<>(suite.resultsWithin(280));
    }

    @Test
    @DisplayName("75: Netty's own socket tests end as without")
    void sameTestsPass() throws Exception {
        Child without = suite(false);
        Child under = suite(true); // meanwhile: many of the tests wait for time to pass
        Map<String, String> expected = results(without);
        assertTrue(expected.size() > 50, () -> "only " + expected);
        assertEquals(expected, results(under), under::toString);
        AgentReport report = under.report();
        assertTrue(report.offloaded() > 50, report::text); // others end before they move
        assertTrue(report.acceptedOffloaded() > 50, report::text);
    }
}
