package io.sdp4j.stream;

import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.nio.SwitchedNioTest;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** The contract of channels and selectors that leave kernel TCP with the first byte. */
class MovingNioTest extends SwitchedNioTest {
    private static final TestFabric FABRIC = TestFabric.opened(true);

    MovingNioTest() {
        super(Policy.allowAll(), List.of(FABRIC.provider()), UpgradePolicy.afterBytes(1));
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return true; // sooner or later
    }

    @Override
    public void checkCarrier(SocketChannel connected) {
        // on TCP as long as it has carried nothing
    }
}
