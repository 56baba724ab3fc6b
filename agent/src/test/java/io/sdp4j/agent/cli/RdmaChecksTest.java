package io.sdp4j.agent.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import io.sdp4j.resolve.RdmaRoute;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Goal: on an RDMA host the doctor names what is there and what stands in the way. */
class RdmaChecksTest {
    @TempDir Path root;

    private void write(String file, String text) throws IOException {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void device() throws IOException {
        String port = "sys/class/infiniband/mlx5_0/ports/1/";
        write(port + "state", "4: ACTIVE\n");
        write(port + "link_layer", "Ethernet\n");
        for (int i = 0; i < 6; i++) {
            write(port + "gids/" + i, "0000:0000:0000:0000:0000:ffff:0a00:000" + i + "\n");
            write(port + "gid_attrs/types/" + i, "RoCE v2\n");
            write(port + "gid_attrs/ndevs/" + i, "eth1\n");
        }
    }

    private List<Check> checks(String memlock) {
        return new RdmaChecks(root, memlock).all();
    }

    @Test
    void withoutADeviceThereIsOneLine() {
        assertEquals(
                List.of(
                        Check.ok(
                                "RDMA devices",
                                "none; connections inside this host use shared memory")),
                checks("65536"));
    }

    @Test
    void namesPortsAndWhatTheyNeed() throws IOException {
        device();
        write("lib/x86_64-linux-gnu/librdmacm.so.1", "");
        write("usr/lib64/libibverbs.so.1", "");
        write("dev/infiniband/rdma_cm", "");
        List<Check> checks = checks("unlimited");
        assertEquals(
                "Ethernet, ACTIVE, GIDs 0 ::ffff:10.0.0.0 (RoCE v2, eth1); 1 ::ffff:10.0.0.1 (RoCE"
                        + " v2, eth1); 2 ::ffff:10.0.0.2 (RoCE v2, eth1); 3 ::ffff:10.0.0.3 (RoCE v2,"
                        + " eth1); and 2 more; used with sdp4j.verbs.enabled=true",
                checks.getFirst().found());
        assertEquals(4, checks.size());
        checks.forEach(c -> assertEquals(Check.Verdict.OK, c.verdict(), c::toString));
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        device();
        write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
        List<Check> checks = checks("65536");
        assertEquals(
                List.of("RDMA mlx5_0/1", "RDMA memory", "RDMA libraries", "RDMA access"),
                checks.stream().map(Check::name).toList());
        checks.forEach(c -> assertEquals(Check.Verdict.WARN, c.verdict(), c::toString));
        checks.forEach(c -> assertTrue(!c.advice().isEmpty(), c::toString));
    }

    @Test
    void aPathIsSaidForPeopleAndForPrograms() {
        RdmaRoute route =
                new RdmaRoute(
                        "ib0",
                        2044,
                        0,
                        0x8001,
                        "00:00:00:48",
                        InetAddress.ofLiteral("10.1.0.1"),
                        null,
                        "InfiniBand",
                        "InfiniBand",
                        0,
                        "fe80::1");
        FabricPath path =
                new FabricPath("verbs", "mlx5_0", 1, 2048, PathCode.USABLE, "", Optional.of(route));
        assertEquals(
                "sdp over verbs, with sdp4j.verbs.enabled=true: mlx5_0 port 1, InfiniBand by ib0"
                        + " (partition 0x8001), from 10.1.0.1, GID 0 fe80::1, MTU 2048",
                Paths.sentence(path));
        assertEquals("USABLE", Paths.json(path).get("code"));
        assertEquals("0x8001", Paths.json(path).get("partition"));
        assertEquals("10.1.0.1", Paths.json(path).get("source"));
        assertEquals("", Paths.json(path).get("gateway"));
        FabricPath none = FabricPath.unusable("verbs", PathCode.NO_DEVICE, "there is none");
        assertEquals("sdp over verbs: not possible, there is none", Paths.sentence(none));
        assertEquals("NO_DEVICE", Paths.json(none).get("code"));
    }
}
