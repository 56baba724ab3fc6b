package io.sdp4j.e2e;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.ParentOfEcho;
import io.sdp4j.samples.EchoClient;
import io.sdp4j.samples.EchoServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: programs without the agent are never kept out, and children of one with it are left alone.
 * Method: plain sockets of this JVM, mixed with offloaded clients, and a child JVM.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NeighboursIT {
    private static final String SAMPLES = Jvms.classPathOf(EchoServer.class);

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

    private Child echoServer(String... args) throws Exception {
        return jvms.java("echo server", true, List.of(), SAMPLES, EchoServer.class.getName(), args);
    }

    private Child echoClient(String port) throws Exception {
        return jvms.java(
                "echo client",
                true,
                List.of(),
                SAMPLES,
                EchoClient.class.getName(),
                "--port",
                port);
    }

    @Test
    @DisplayName("29: one listener for clients of both kinds")
    void plainAndOffloadedClientsAreServedAlike() throws Exception {
        jvms.direct();
        Child server = echoServer("--host", "*");
        String port = server.await("READY");
        int plain = 0;
        int offloaded = 0;
        for (int i = 0; i < 3; i++) {
            Child client = echoClient(port);
            for (InetAddress address : localAddresses()) {
                echo(new InetSocketAddress(address, Integer.parseInt(port)));
                plain++;
            }
            client.results();
            assertEquals(List.of("hello 1", "hello 2", "hello 3", "end of stream"), client.out());
            offloaded++;
        }
        server.terminate();
        AgentReport report = server.report();
        assertEquals(offloaded, report.acceptedOffloaded(), report::text);
        assertEquals(plain, report.acceptedKernel(), report::text);
        assertEquals(List.of(), server.err(), server::toString);
    }

    @Test
    void virtualThreadsServeToo() throws Exception {
        jvms.direct();
        Child server = echoServer("--virtual", "true");
        String port = server.await("READY");
        Child client = echoClient(port);
        echo(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), Integer.parseInt(port)));
        client.results();
        server.terminate();
        assertEquals(1, server.report().acceptedOffloaded());
        assertEquals(1, server.report().acceptedKernel());
    }

    @Test
    @DisplayName("79: a child JVM is not disturbed")
    void aChildJvmIsNotDisturbed() throws Exception {
        Child parent =
                jvms.java(
                        "parent",
                        true,
                        List.of(),
                        Jvms.classPathOf(ParentOfEcho.class),
                        ParentOfEcho.class.getName(),
                        SAMPLES,
                        EchoClient.class.getName());
        assertEquals("0", parent.results().get("exit"));
        assertEquals(
                List.of("hello 1", "hello 2", "hello 3", "end of stream", "exit=0"), parent.out());
        assertEquals(List.of(), parent.err());
        AgentReport report = parent.report();
        assertEquals(0, report.acceptedOffloaded(), report::text);
        assertEquals(1, report.acceptedKernel(), report::text);
    }

    private static void echo(InetSocketAddress server) throws Exception {
        try (Socket socket = new Socket()) {
            socket.connect(server, 5_000);
            socket.setSoTimeout(5_000);
            socket.getOutputStream().write("plain".getBytes(US_ASCII));
            socket.shutdownOutput();
            assertEquals("plain", new String(socket.getInputStream().readAllBytes(), US_ASCII));
        }
    }

    /** One of each: loopback of both families where there is one, and a real one. */
    private static List<InetAddress> localAddresses() throws Exception {
        List<InetAddress> addresses = new ArrayList<>();
        for (NetworkInterface card :
                NetworkInterface.networkInterfaces().filter(NeighboursIT::isUp).toList()) {
            card.inetAddresses().filter(a -> !a.isLinkLocalAddress()).forEach(addresses::add);
        }
        assertTrue(addresses.stream().anyMatch(InetAddress::isLoopbackAddress));
        return addresses;
    }

    private static boolean isUp(NetworkInterface card) {
        try {
            return card.isUp();
        } catch (java.net.SocketException gone) {
            return false;
        }
    }
}
