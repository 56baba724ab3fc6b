package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.offload.spi.ReasonCode;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract with a provider that listens, but never brings a connection up. */
class FallbackTest extends SwitchedTest {
    FallbackTest() {
        super(Policy.allowAll(), List.of(new Failing()));
    }

    private static final class Failing implements OffloadProvider {
        private final LoopbackProvider listening = new LoopbackProvider();

        @Override
        public String name() {
            return "failing";
        }

        /** Fails as late as can be: a local port was taken for it. */
        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            try {
                spec.localAddress().find();
            } catch (IOException e) {
                throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, e.getMessage());
            }
            throw new OffloadUnavailable(ReasonCode.PEER_REFUSED, "the peer refused");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            return listening.listen(spec);
        }
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Test
    void saysWhy() throws IOException {
        try (Pair p = pair()) {
            assertEquals(
                    ReasonCode.PEER_REFUSED,
                    OffloadSwitch.explain(p.client()).orElseThrow().reason());
            assertEquals(
                    ReasonCode.ACCEPTED_TCP,
                    OffloadSwitch.explain(p.server()).orElseThrow().reason());
            assertEquals(1, owner.report().kernelFallback());
        }
    }
}
