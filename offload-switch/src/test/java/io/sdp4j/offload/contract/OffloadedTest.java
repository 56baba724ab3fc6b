package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract over a provider. */
class OffloadedTest extends SwitchedTest {
    private static final LoopbackProvider PROVIDER = new LoopbackProvider();

    OffloadedTest() {
        super(Policy.allowAll(), List.of(PROVIDER));
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @Override
    public int manyConnections() {
        return 5000; // 10,000 virtual threads
    }

    @AfterEach
    void everyStreamIsGivenBack() {
        org.awaitility.Awaitility.await().until(() -> PROVIDER.openStreams() == 0);
    }

    @Test
    void saysWhy() throws IOException {
        try (var p = pair()) {
            Expect.send(p.client(), "12345");
            assertEquals("12345", Expect.receive(p.server(), 5));
            ConnectionInfo info = SwitchedSockets.explain(p.client()).orElseThrow();
            assertEquals(ReasonCode.OFFLOADED, info.reason());
            assertEquals("loop", info.fabric());
            assertEquals(5, info.bytesWritten());
            p.client().close();
            assertEquals(info, SwitchedSockets.explain(p.client()).orElseThrow());
            assertEquals(Map.of("loop", 1L), owner.report().offloaded());
            assertEquals(Map.of("loop", 1L), owner.report().acceptedOffloaded());
            assertEquals(5, owner.report().bytesRead());
            assertEquals(5, owner.report().bytesWritten());
            assertEquals(Map.of(ReasonCode.OFFLOADED, 2L), owner.report().reasons());
        }
    }
}
