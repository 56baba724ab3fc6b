package io.sdp4j.offload.contract.aio;

import java.nio.channels.spi.AsynchronousChannelProvider;

/** The contract as the JDK writes it. */
class KernelAioTest extends AsynchronousSocketChannelContract {
    @Override
    public AsynchronousChannelProvider provider() {
        return AsynchronousChannelProvider.provider();
    }

    @Override
    public boolean offloads() {
        return false;
    }
}
