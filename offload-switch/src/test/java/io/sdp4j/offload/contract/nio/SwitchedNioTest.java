package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;

/** The contract on channels of one switch. */
public abstract class SwitchedNioTest extends NioContract {
    protected final OffloadSwitch owner;
    private final SelectorProvider provider;

    protected SwitchedNioTest(Policy policy, List<OffloadProvider> providers) {
        owner = new OffloadSwitch(() -> policy, providers, Patience.SETTINGS);
        provider = SwitchChannels.provider(owner);
    }

    /** Variant whose connections begin on kernel TCP. */
    protected SwitchedNioTest(
            Policy policy, List<OffloadProvider> providers, UpgradePolicy upgrade) {
        owner =
                new OffloadSwitch(
                        () -> policy,
                        providers.stream().<OffloadProvider>map(MovingProvider::new).toList(),
                        Patience.SETTINGS.withUpgrade(upgrade));
        provider = SwitchChannels.provider(owner);
    }

    @Override
    public SelectorProvider provider() {
        return provider;
    }

    @Override
    public void checkCarrier(SocketChannel connected) {
        ConnectionInfo info = SwitchChannels.explain(connected).orElseThrow();
        assertEquals(offloads(), info.reason() == ReasonCode.OFFLOADED, info::toString);
    }

    /** One descriptor tells all selectors that the interest of one is met. */
    @Override
    public boolean exactInEverySelector() {
        return !offloads();
    }

    @Override
    public boolean resetsOverUnreadData() {
        return !offloads();
    }
}
