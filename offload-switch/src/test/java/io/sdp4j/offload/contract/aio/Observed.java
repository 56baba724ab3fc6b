package io.sdp4j.offload.contract.aio;

import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;

/**
 * A provider that tells of each call of its connecting streams, on the calling thread and before
 * the call.
 */
public final class Observed implements OffloadProvider {
    /** Is told of a call; what it throws, the call throws. */
    public interface Before {
        void call(OffloadStream stream, String method, Object[] args) throws IOException;
    }

    private final OffloadProvider inner;
    private final Before before;

    public Observed(OffloadProvider inner, Before before) {
        this.inner = inner;
        this.before = before;
    }

    @Override
    public String name() {
        return "observed";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        OffloadStream stream = inner.connect(spec);
        return Streams.around(
                stream,
                (method, args) -> {
                    before.call(stream, method, args);
                    return null;
                });
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        return inner.listen(spec);
    }
}
