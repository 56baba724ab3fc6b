package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceResolverTest {
    private static final InetAddress PEER = InetAddress.ofLiteral("10.1.2.4");
    private static final List<FabricPath> FIRST = List.of(FabricPath.unusable("shm", "elsewhere"));

    @TempDir Path sysfs;

    private FabricPath path(Path devices, InetAddress remote) {
        List<FabricPath> all = new DeviceResolver((l, r) -> FIRST, devices).paths(null, remote);
        assertEquals(FIRST, all.subList(0, 1));
        assertEquals(2, all.size());
        assertEquals(DeviceResolver.VERBS, all.get(1).fabric());
        return all.get(1);
    }

    @Test
    void aDeviceMayLeadToAnyAddressButLoopback() throws Exception {
        Files.createDirectory(sysfs.resolve("mlx5_0"));
        assertTrue(path(sysfs, PEER).usable());
        assertEquals(
                "loopback addresses are not on RDMA devices",
                path(sysfs, InetAddress.getLoopbackAddress()).reason());
        assertEquals(
                "multicast has no connections",
                path(sysfs, InetAddress.ofLiteral("224.0.0.1")).reason());
    }

    @Test
    void withoutADeviceThereIsAReason() throws Exception {
        assertEquals("no RDMA device is present", path(sysfs, PEER).reason());
        assertEquals("no RDMA device is present", path(sysfs.resolve("none"), PEER).reason());
        Files.createDirectory(sysfs.resolve("siw0"));
        assertTrue(path(sysfs, PEER).usable(), "a device that came later counts");
    }
}
