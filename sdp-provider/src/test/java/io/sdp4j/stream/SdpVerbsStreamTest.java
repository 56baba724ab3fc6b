package io.sdp4j.stream;

import java.io.IOException;
import java.net.InetAddress;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The same over a real RDMA device: skipped where there is none, and run over soft-RoCE and
 * soft-iWARP by {@code lab/checks/streams}.
 */
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
final class SdpVerbsStreamTest extends SdpStreamTest {
    @Override
    TestFabric openFabric() throws IOException {
        return TestFabric.verbs().buffersAsShipped();
    }

    @Override
    InetAddress host() throws IOException {
        return InetAddress.getByName(System.getenv("LAB_ADDR"));
    }
}
