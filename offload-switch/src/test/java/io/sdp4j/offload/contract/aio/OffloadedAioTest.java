package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.aio.SwitchAsynchronousSocketChannel;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.policy.Policy;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract over a provider. */
class OffloadedAioTest extends SwitchedAioTest {
    private static final LoopbackProvider PROVIDER = new LoopbackProvider();

    OffloadedAioTest() {
        super(Policy.allowAll(), List.of(PROVIDER));
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @AfterEach
    void everyStreamIsGivenBack() {
        Awaitility.await().until(() -> PROVIDER.openStreams() == 0);
    }

    @Test
    void saysWhyAndCounts() throws Exception {
        try (var p = pair()) {
            Aio.send(p.client(), "12345");
            assertEquals("12345", Aio.receive(p.server(), 5));
            ConnectionInfo info = SwitchAsynchronousSocketChannel.explain(p.client()).orElseThrow();
            assertEquals(ReasonCode.OFFLOADED, info.reason());
            assertEquals(5, info.bytesWritten());
            p.client().close();
            assertEquals(info, SwitchAsynchronousSocketChannel.explain(p.client()).orElseThrow());
            assertEquals(Map.of("loop", 1L), owner.report().offloaded());
            assertEquals(Map.of("loop", 1L), owner.report().acceptedOffloaded());
            assertEquals(5, owner.report().bytesRead());
            assertEquals(5, owner.report().bytesWritten());
        }
    }
}
