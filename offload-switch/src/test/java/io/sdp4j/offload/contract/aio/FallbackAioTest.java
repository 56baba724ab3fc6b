package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.aio.SwitchAsynchronousSocketChannel;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.policy.Policy;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract with a provider that listens, but never brings a connection up. */
class FallbackAioTest extends SwitchedAioTest {
    FallbackAioTest() {
        super(Policy.allowAll(), List.of(new FailingProvider()));
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Test
    void saysWhyAndCounts() throws Exception {
        try (var p = pair()) {
            assertEquals(
                    ReasonCode.PEER_REFUSED,
                    SwitchAsynchronousSocketChannel.explain(p.client()).orElseThrow().reason());
            assertEquals(1, owner.report().kernelFallback());
            assertEquals(1, owner.report().acceptedKernel());
        }
    }
}
