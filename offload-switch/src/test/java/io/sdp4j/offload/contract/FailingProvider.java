package io.sdp4j.offload.contract;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;

/** A provider that listens, but never brings a connection up. */
public final class FailingProvider implements OffloadProvider {
    private final LoopbackProvider listening = new LoopbackProvider();

    @Override
    public String name() {
        return "failing";
    }

    /** Fails as late as can be: a local port was taken for it. */
    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        try {
            spec.localAddress().find(null);
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
