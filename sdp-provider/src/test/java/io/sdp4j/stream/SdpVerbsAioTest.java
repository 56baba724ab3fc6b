package io.sdp4j.stream;

import io.sdp4j.offload.contract.aio.SwitchedAioTest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The contract of asynchronous channels over a real RDMA device, every direct buffer lent, by
 * {@code lab/checks/sockets}.
 */
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
class SdpVerbsAioTest extends SwitchedAioTest {
    private static final LabDevice DEVICE = new LabDevice();

    SdpVerbsAioTest() {
        super(LabDevice.PATIENT, List.of(DEVICE.provider(TestFabric.tinyZcopy(true, 100_000))));
    }

    @AfterAll
    static void shut() throws IOException {
        DEVICE.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }
}
