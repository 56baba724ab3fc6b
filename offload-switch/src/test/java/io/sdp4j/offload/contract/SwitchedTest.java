package io.sdp4j.offload.contract;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;

/** The contract on sockets of one switch. */
public abstract class SwitchedTest extends SocketContract {
    protected final OffloadSwitch owner;

    protected SwitchedTest(Policy policy, List<OffloadProvider> providers) {
        owner = new OffloadSwitch(() -> policy, providers, Patience.SETTINGS);
    }

    /** Variant whose connections begin on kernel TCP. */
    protected SwitchedTest(Policy policy, List<OffloadProvider> providers, UpgradePolicy upgrade) {
        owner =
                new OffloadSwitch(
                        () -> policy,
                        providers.stream().<OffloadProvider>map(MovingProvider::new).toList(),
                        Patience.SETTINGS.withUpgrade(upgrade));
    }

    @Override
    public Socket newSocket() throws IOException {
        return SwitchedSockets.socket(owner);
    }

    @Override
    public ServerSocket newServerSocket() {
        return SwitchedSockets.serverSocket(owner);
    }
}
