package io.sdp4j.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.samples.RmiClient;
import io.sdp4j.samples.RmiServer;
import io.sdp4j.samples.StreamClient;
import io.sdp4j.samples.StreamServer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: an application's results do not depend on the agent, and its connections go where they
 * should. Method: a server and its client in two JVMs with the agent at no, both or one end; what
 * the client prints is compared with the run without, what the agents report with the ends.
 */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ApplicationsIT extends Comparison {
    @ParameterizedTest
    @EnumSource
    @DisplayName("34: RMI, with calls back")
    void rmi(Ends ends) throws Exception {
        Application application =
                new Application() {
                    @Override
                    public Child server(boolean agent) throws Exception {
                        return sample(agent, RmiServer.class, List.of());
                    }

                    @Override
                    public Child client(boolean agent, String port) throws Exception {
                        return sample(agent, RmiClient.class, List.of(), "--port", port);
                    }
                };
        same("rmi", application, ends, true);
        assertEquals("4950", EXPECTED.get("rmi").get("called_back"));
    }

    @ParameterizedTest
    @EnumSource
    void stream(Ends ends) throws Exception {
        ends.use(jvms);
        Child server = sample(ends.atServer, StreamServer.class, List.of());
        Child client =
                sample(
                        ends.atClient,
                        StreamClient.class,
                        List.of(),
                        "--port",
                        server.await("READY"),
                        "--seconds",
                        "0.3",
                        "--warmup",
                        "0.2",
                        "--bytes",
                        "20000001");
        Map<String, String> sent = client.results();
        Map<String, String> served = server.results();
        assertEquals("true", sent.get("verified"));
        assertEquals(sent.get("sha256_sent"), served.get("sha256_received"));
        assertEquals(sent.get("sha256_received"), served.get("sha256_sent"));
        ends.check(server, client, false);
        String expected =
                EXPECTED.computeIfAbsent("stream", name -> Map.of("sha", sent.get("sha256_sent")))
                        .get("sha");
        assertEquals(expected, sent.get("sha256_sent"));
    }
}
