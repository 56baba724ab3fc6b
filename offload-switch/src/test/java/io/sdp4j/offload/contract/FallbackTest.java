package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract with a provider that listens, but never brings a connection up. */
class FallbackTest extends SwitchedTest {
    FallbackTest() {
        super(Policy.allowAll(), List.of(new FailingProvider()));
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Test
    void saysWhy() throws IOException {
        try (var p = pair()) {
            assertEquals(
                    ReasonCode.PEER_REFUSED,
                    SwitchedSockets.explain(p.client()).orElseThrow().reason());
            assertEquals(
                    ReasonCode.ACCEPTED_TCP,
                    SwitchedSockets.explain(p.server()).orElseThrow().reason());
            assertEquals(1, owner.report().kernelFallback());
        }
    }
}
