package io.sdp4j.stream;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Read zcopy over a real RDMA device, by {@code lab/checks/streams}. */
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
final class SdpVerbsZcopyTest extends ZcopyContract {
    @Override
    TestFabric openFabric() throws IOException {
        return TestFabric.verbs().buffersAsShipped();
    }

    @Override
    InetAddress host() throws IOException {
        return InetAddress.getByName(System.getenv("LAB_ADDR"));
    }

    @Override
    boolean offers() {
        return false;
    }
}
