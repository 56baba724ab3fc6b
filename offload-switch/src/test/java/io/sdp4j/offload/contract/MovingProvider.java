package io.sdp4j.offload.contract;

import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;

/** A provider that can move any connection that the kernel has made. */
public record MovingProvider(OffloadProvider provider) implements OffloadProvider {
    @Override
    public String name() {
        return provider.name();
    }

    @Override
    public boolean moves(InetAddress remote, List<String> fabrics) {
        return true;
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
        return provider.connect(spec);
    }

    @Override
    public int choosePort(List<String> fabrics, Supplier<InetSocketAddress> free) {
        return provider.choosePort(fabrics, free);
    }

    @Override
    public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
        return provider.listen(spec);
    }
}
