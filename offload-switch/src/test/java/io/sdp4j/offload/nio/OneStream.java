package io.sdp4j.offload.nio;

import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;

/** Gives each connection the one stream. */
record OneStream(OffloadStream stream) implements OffloadProvider {
    @Override
    public String name() {
        return "one";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) {
        return stream;
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        return new FailingProvider().listen(spec);
    }
}
