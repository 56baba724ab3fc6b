package io.sdp4j.offload.contract.nio;

import java.nio.channels.spi.SelectorProvider;

/** The contract as the kernel and the JDK write it. */
class KernelNioTest extends NioContract {
    @Override
    public SelectorProvider provider() {
        return SelectorProvider.provider();
    }

    @Override
    public boolean offloads() {
        return false;
    }

    @Override
    public int programs() {
        return Scale.of(100, 10_000);
    }
}
