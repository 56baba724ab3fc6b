package io.sdp4j.stream;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** The same over a real RDMA device, by {@code lab/checks/moves}. */
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
final class SdpVerbsMigrationTest extends MigrationTest {
    @Override
    TestFabric openFabric() throws IOException {
        return TestFabric.verbs();
    }

    @Override
    InetAddress host() throws IOException {
        return InetAddress.getByName(System.getenv("LAB_ADDR"));
    }

    @Override
    Object listeners() throws IOException {
        Process p = new ProcessBuilder("rdma", "resource", "show", "cm_id").start();
        String ids = new String(p.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        return ids.lines().filter(id -> id.contains("LISTEN")).count();
    }
}
