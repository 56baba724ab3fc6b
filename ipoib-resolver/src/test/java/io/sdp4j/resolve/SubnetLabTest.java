package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: on a subnet that OpenSM manages, the resolver sees what OpenSM has done to a port: its
 * state, its GID, its partitions. Method: the built host {@code infiniband}, with the adapter of a
 * simulated subnet in the place of its first; {@code lab/checks/subnet} makes the trees, one from
 * before the subnet manager came and one from after.
 */
@Timeout(60)
@EnabledIfEnvironmentVariable(
        named = SubnetLabTest.TREES,
        matches = ".+",
        disabledReason = "no simulated subnet")
class SubnetLabTest {
    static final String TREES = "SDP4J_SUBNET";

    private static final String DEVICE = "ibsim0";

    @TempDir private Path directory;

    private FabricPath path(String tree, String to) throws IOException {
        RecordedHost host = new RecordedHost("infiniband", directory);
        RecordedHost.remove(host.devices);
        Path from = Path.of(System.getenv(TREES), tree, "sys/class/infiniband");
        try (var simulated = Files.walk(from)) {
            for (Path file : simulated.filter(Files::isRegularFile).toList()) {
                Path copy = host.devices.resolve(from.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
        // the simulator is older than this file
        RecordedHost.write(host.devices.resolve(DEVICE + "/ports/1/link_layer"), "InfiniBand");
        try (DeviceResolver resolver = host.resolver()) {
            return resolver.paths(null, InetAddress.ofLiteral(to)).getFirst();
        }
    }

    @Test
    void withoutASubnetManagerThereIsNoWay() throws IOException {
        assertFalse(path("before", "10.1.0.2").usable());
        PortStatus port = PortStatus.all(directory.resolve("class/infiniband")).getFirst();
        assertEquals(DEVICE, port.device());
        assertEquals("INIT", port.state());
        assertFalse(port.active());
    }

    @Test
    void aPortThatItMadeActiveLeadsThere() throws IOException {
        FabricPath path = path("after", "10.1.0.2");
        assertTrue(path.usable(), path.reason());
        assertEquals(DEVICE, path.device());
        assertEquals(
                "InfiniBand by ib0, from 10.1.0.1, GID 0 fe80:0:0:0:2:c903:f1:aaaa",
                path.rdma().orElseThrow().sentence());
    }

    @Test
    void itsPartitionsAreThoseOfTheConfiguration() throws IOException {
        FabricPath full = path("after", "10.81.0.2");
        assertTrue(full.usable(), full.reason());
        assertEquals("0x8001", full.rdma().orElseThrow().partitionText());
        FabricPath limited = path("after", "10.82.0.2");
        assertTrue(limited.usable(), limited.reason());
        FabricPath other = path("after", "10.83.0.2");
        assertEquals(PathCode.NO_PARTITION, other.code());
    }
}
