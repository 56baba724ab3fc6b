package io.sdp4j.offload.contract;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;

/** A provider that must not be asked for what a test does not override. */
public class UnaskedProvider implements OffloadProvider {
    @Override
    public String name() {
        return "unasked";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        throw new AssertionError("asked for " + spec.remote());
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        throw new AssertionError("asked to listen on " + spec.address());
    }
}
