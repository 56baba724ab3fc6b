package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.e2e.programs.AsyncEchoClient;
import io.sdp4j.e2e.programs.AsyncEchoServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: programs on asynchronous channels give the same results wherever the agent is. Method: an
 * echo server and a client that checks every byte, in two JVMs.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AsyncIT {
    private static final String PROGRAMS = Jvms.classPathOf(AsyncEchoServer.class);

    /** Whether a connection is offloaded must not depend on how busy this machine is. */
    private static final List<String> PATIENT = List.of("-Dsdp4j.connect.timeout.ms=20000");

    private static final int CONNECTIONS = 4;
    private static final int BYTES = 1_000_000;

    @TempDir Path directory;
    private Jvms jvms;

    @BeforeEach
    void open() throws IOException {
        jvms = new Jvms(directory);
    }

    @AfterEach
    void close() {
        jvms.close();
    }

    private Child server(boolean agent) throws IOException {
        return jvms.java("server", agent, PATIENT, PROGRAMS, AsyncEchoServer.class.getName());
    }

    private Child client(boolean agent, String port) throws IOException {
        return jvms.java(
                "client",
                agent,
                PATIENT,
                PROGRAMS,
                AsyncEchoClient.class.getName(),
                port,
                Integer.toString(CONNECTIONS),
                Integer.toString(BYTES));
    }

    private static void check(Child client, Map<String, String> results) {
        assertEquals(List.of(), client.err(), client::toString);
        assertEquals(Integer.toString(CONNECTIONS * BYTES), results.get("bytes"));
        assertEquals(expectedCrc(), Long.parseLong(results.get("crc")));
    }

    /** A client's result when every byte has come back. */
    private static long expectedCrc() {
        long crc = 0;
        for (int seed = 0; seed < CONNECTIONS; seed++) {
            byte[] sent = new byte[BYTES];
            new java.util.Random(seed).nextBytes(sent);
            java.util.zip.CRC32 one = new java.util.zip.CRC32();
            one.update(sent);
            crc = crc * 31 + one.getValue();
        }
        return crc;
    }

    @ParameterizedTest
    @EnumSource
    void echoes(Ends ends) throws Exception {
        Child server = server(ends.atServer);
        Child client = client(ends.atClient, server.await("READY"));
        Map<String, String> results = client.results();
        server.terminate();
        check(client, results);
        assertEquals(List.of(), server.err(), server::toString);
        ends.check(server, client, false);
        if (ends == Ends.BOTH) {
            assertEquals(CONNECTIONS, client.report().offloaded(), client.report()::text);
            assertEquals(CONNECTIONS, server.report().acceptedOffloaded());
        }
    }

    /** Goal: one listener serves clients with the agent and without at the same time. */
    @Test
    void mixes() throws Exception {
        Child server = server(true);
        String port = server.await("READY");
        Child with = client(true, port);
        Child without = client(false, port);
        check(with, with.results());
        check(without, without.results());
        server.terminate();
        AgentReport report = server.report();
        assertEquals(CONNECTIONS, report.acceptedOffloaded(), report::text);
        assertEquals(CONNECTIONS, report.acceptedKernel(), report::text);
        assertTrue(with.report().offloaded() == CONNECTIONS, with.report()::text);
    }
}
