package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.policy.Policy;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The contract over a provider. */
class OffloadedNioTest extends SwitchedNioTest {
    private static final LoopbackProvider PROVIDER = new LoopbackProvider();

    OffloadedNioTest() {
        super(Policy.allowAll(), List.of(PROVIDER));
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @Override
    public int leastUnreadBytes() {
        return LoopbackProvider.ROOM_BYTES;
    }

    @AfterEach
    void everyStreamIsGivenBack() {
        Nio.await().until(() -> PROVIDER.openStreams() == 0);
    }

    @Test
    void countsWhatItOffloads() throws Exception {
        try (var p = pair()) {
            Nio.send(p.client(), "12345");
            assertEquals("12345", Nio.receive(p.server(), 5));
            assertEquals(Map.of("loop", 1L), owner.report().offloaded());
            assertEquals(Map.of("loop", 1L), owner.report().acceptedOffloaded());
            assertEquals(0, owner.report().kernelFallback());
        }
    }
}
