package io.sdp4j.stream;

import io.sdp4j.offload.contract.nio.SwitchedNioTest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The contract of channels and selectors over a real RDMA device, by {@code lab/checks/sockets}.
 */
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
class SdpVerbsNioTest extends SwitchedNioTest {
    private static final LabDevice DEVICE = new LabDevice();

    SdpVerbsNioTest() {
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

    /**
     * Buffers are registered memory there, sixteen of 64 KiB, and small writes use up some of them.
     */
    @Override
    public int leastUnreadBytes() {
        return 300_000;
    }

    @Override
    public int leastUnreadInSmallWrites() {
        return 100_000; // there are few buffers, and half of them are taken by some of these each
    }

    @Override
    public int manyConnections() {
        return LabDevice.MANY_CONNECTIONS;
    }

    /** Buffers of more are more than the memory of a host. */
    @Override
    public int idleConnections() {
        return LabDevice.MANY_CONNECTIONS;
    }
}
