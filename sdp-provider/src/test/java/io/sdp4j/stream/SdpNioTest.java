package io.sdp4j.stream;

import io.sdp4j.offload.contract.nio.SwitchedNioTest;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** The contract of channels and selectors over SDP on shared memory. */
class SdpNioTest extends SwitchedNioTest {
    private static final TestFabric FABRIC = TestFabric.opened().buffersAsShipped();

    SdpNioTest() {
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
}
