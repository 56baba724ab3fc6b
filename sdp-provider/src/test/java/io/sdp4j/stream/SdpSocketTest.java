package io.sdp4j.stream;

import io.sdp4j.offload.contract.SwitchedTest;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** The contract of {@code java.net} sockets over SDP on shared memory. */
class SdpSocketTest extends SwitchedTest {
    private static final TestFabric FABRIC = TestFabric.opened().buffersAsShipped();

    SdpSocketTest() {
        super(Policy.allowAll(), List.of(FABRIC.provider()));
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @Override
    public boolean keepsUnsent() {
        return false;
    }
}
