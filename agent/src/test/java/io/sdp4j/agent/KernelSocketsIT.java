package io.sdp4j.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.agent.programs.KernelScoped;
import io.sdp4j.api.KernelSockets;
import io.sdp4j.e2e.AgentReport;
import java.io.File;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: the agent obeys {@code KernelSockets} of a program that has the API on its own class path,
 * for the first socket of a JVM and for later ones. Method: counts the reasons in the report.
 */
class KernelSocketsIT {
    @TempDir private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "connect"})
    void theAgentObeysTheScope(String upgrade) throws Exception {
        Path report = folder.resolve("report.json");
        Path api =
                Path.of(
                        KernelSockets.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        try (ServerSocket peer = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String path = Jvm.classes() + File.pathSeparator + api;
            Jvm.Outcome outcome =
                    Jvm.java(
                            List.of(
                                    Jvm.agent("report=" + report + ",upgrade=" + upgrade),
                                    "-cp",
                                    path,
                                    KernelScoped.class.getName(),
                                    Integer.toString(peer.getLocalPort())));
            assertEquals("", outcome.err());
            assertEquals(
                    List.of(
                            "scoped=SocketChannelImpl",
                            "other=ConnectionChannel",
                            "accepted=truetrue"),
                    outcome.outLines());
        }
        Map<?, ?> reasons = AgentReport.read(report).reasons();
        // one that connected, one that was accepted
        assertEquals(2L, reasons.get("KERNEL_SCOPE"), reasons.toString());
    }
}
