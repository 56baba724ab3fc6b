package io.sdp4j.agent.programs;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;

/** A plug-in that throws when it is loaded. */
public final class FailingProtocol implements OffloadProvider {
    public FailingProtocol() {
        throw new AssertionError("no licence");
    }

    @Override
    public String name() {
        return "failing";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) {
        throw new AssertionError("never made");
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        throw new AssertionError("never made");
    }
}
