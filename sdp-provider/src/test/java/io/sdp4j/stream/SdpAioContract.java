package io.sdp4j.stream;

import io.sdp4j.offload.contract.aio.SwitchedAioTest;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The contract of asynchronous channels over SDP on shared memory. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SdpAioContract extends SwitchedAioTest {
    private final TestFabric fabric;

    /**
     * @param lends whether direct buffers are borrowed, from the second byte on
     */
    SdpAioContract(boolean lends) {
        this(TestFabric.opened(), lends);
    }

    private SdpAioContract(TestFabric fabric, boolean lends) {
        super(Policy.allowAll(), List.of(fabric.provider(TestFabric.tinyZcopy(lends, 100_000))));
        this.fabric = fabric;
    }

    @AfterAll
    void shut() throws IOException {
        fabric.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }
}
