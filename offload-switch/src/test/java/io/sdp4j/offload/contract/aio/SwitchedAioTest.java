package io.sdp4j.offload.contract.aio;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.List;

/** The contract on channels of one switch. */
public abstract class SwitchedAioTest extends AsynchronousSocketChannelContract {
    protected final OffloadSwitch owner;
    private final AsynchronousChannelProvider provider;

    protected SwitchedAioTest(Policy policy, List<OffloadProvider> providers) {
        owner = new OffloadSwitch(() -> policy, providers, Patience.SETTINGS);
        provider = new SwitchAsynchronousChannelProvider(owner);
    }

    @Override
    public AsynchronousChannelProvider provider() {
        return provider;
    }
}
