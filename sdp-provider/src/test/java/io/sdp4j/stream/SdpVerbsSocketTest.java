package io.sdp4j.stream;

import io.sdp4j.offload.contract.SwitchedTest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The contract of {@code java.net} sockets over a real RDMA device, by {@code lab/checks/sockets}.
 */
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
class SdpVerbsSocketTest extends SwitchedTest {
    private static final LabDevice DEVICE = new LabDevice();

    SdpVerbsSocketTest() {
        super(LabDevice.PATIENT, List.of(DEVICE.provider()));
    }

    @AfterAll
    static void shut() throws IOException {
        DEVICE.close();
    }

    @Override
    public boolean offloads() {
        return true;
    }

    @Override
    public boolean keepsUnsent() {
        return false;
    }

    @Override
    public int manyConnections() {
        return LabDevice.MANY_CONNECTIONS;
    }
}
