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
import java.util.Map;
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
        write(port + "rate", "100 Gb/sec (4X EDR)\n");
        write("sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
        write("sys/class/infiniband/mlx5_0/fw_ver", "20.35.1012\n");
        for (int i = 0; i < 6; i++) {
            write(port + "gids/" + i, "0000:0000:0000:0000:0000:ffff:0a00:000" + i + "\n");
            write(port + "gid_attrs/types/" + i, "RoCE v2\n");
            write(port + "gid_attrs/ndevs/" + i, "eth1\n");
        }
    }

    private void software() throws IOException {
        write("sys/class/misc/rdma_cm/dev", "10:123\n");
        write("sys/class/infiniband_verbs/uverbs0/ibdev", "mlx5_0\n");
        write("sys/module/mlx5_ib/version", "");
        write("sys/module/rdma_ucm/version", "");
        write("lib/x86_64-linux-gnu/librdmacm.so.1", "");
        write("usr/lib64/libibverbs.so.1", "");
        write("dev/infiniband/rdma_cm", "");
        write("dev/infiniband/uverbs0", "");
    }

    private List<Check> checks(String memlock) {
        return new RdmaChecks(root, new ProcessLimits(memlock, "30000")).all();
    }

    private Check check(String name) {
        return checks("unlimited").stream()
                .filter(c -> c.name().equals(name))
                .findFirst()
                .orElseThrow();
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
        software();
        List<Check> checks = checks("unlimited");
        assertEquals(
                "Ethernet, ACTIVE, 100 Gb/sec (4X EDR), firmware 20.35.1012, GIDs 0 ::ffff:10.0.0.0 (RoCE v2, eth1); 1 ::ffff:10.0.0.1 (RoCE"
                        + " v2, eth1); 2 ::ffff:10.0.0.2 (RoCE v2, eth1); 3 ::ffff:10.0.0.3 (RoCE v2,"
                        + " eth1); and 2 more; used with sdp4j.verbs.enabled=true",
                checks.getFirst().found());
        assertEquals(
                List.of(
                        "the kernel serves rdma_cm and verbs to programs (rdma_ucm, mlx5_ib)",
                        "librdmacm.so.1 and libibverbs.so.1 are there",
                        "this user may open /dev/infiniband/{rdma_cm,uverbs0}",
                        "locked memory is not limited",
                        "30000 open files, room for 7500 connections over RDMA or more"),
                checks.stream().skip(1).map(Check::found).toList());
        checks.forEach(c -> assertEquals(Check.Verdict.OK, c.verdict(), c::toString));
    }

    @Test
    void givesProgramsTheSameInParts() throws IOException {
        device();
        software();
        Map<String, Object> json = checks("unlimited").getFirst().json();
        assertEquals("RDMA mlx5_0/1", json.get("check"));
        Map<?, ?> details = (Map<?, ?>) json.get("details");
        assertEquals("mlx5_0", details.get("device"));
        assertEquals(1, details.get("port"));
        assertEquals("Ethernet", details.get("linkLayer"));
        assertEquals(true, details.get("active"));
        List<?> gids = (List<?>) details.get("gids");
        assertEquals(6, gids.size());
        assertEquals(
                Map.of(
                        "index",
                        5,
                        "gid",
                        "::ffff:10.0.0.5",
                        "transport",
                        "RoCE v2",
                        "interface",
                        "eth1"),
                gids.getLast());
    }

    @Test
    void aDeviceOfDatagramsIsNotUsed() throws IOException {
        device();
        software();
        write("sys/class/infiniband/mlx5_0/node_type", "7: unspecified\n");
        Check port = check("RDMA mlx5_0/1");
        assertEquals(Check.Verdict.WARN, port.verdict());
        assertTrue(
                port.found()
                        .endsWith("a device without reliable connections, as EFA is: not used"));
    }

    @Test
    void namesTheModuleThatIsMissing() throws IOException {
        device();
        software();
        Files.delete(root.resolve("sys/class/misc/rdma_cm/dev"));
        Files.delete(root.resolve("sys/class/misc/rdma_cm"));
        assertEquals(
                "the kernel has no rdma_ucm (rdma_ucm, mlx5_ib)", check("RDMA modules").found());
        assertEquals(
                "load it: modprobe -a rdma_ucm, and for good in /etc/modules-load.d",
                check("RDMA modules").advice());
    }

    @Test
    void aContainerThatWasNotGivenTheDeviceIsTold() throws IOException {
        device();
        software();
        Files.delete(root.resolve("dev/infiniband/uverbs0"));
        Check access = check("RDMA access");
        assertEquals(Check.Verdict.WARN, access.verdict());
        assertEquals("/dev/infiniband/uverbs0 is not there", access.found());
        assertTrue(access.advice().contains("--device /dev/infiniband"), access::advice);
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        device();
        write("sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN\n");
        List<Check> checks = checks("65536");
        assertEquals(
                List.of(
                        "RDMA mlx5_0/1",
                        "RDMA modules",
                        "RDMA libraries",
                        "RDMA access",
                        "RDMA memory"),
                checks.stream()
                        .filter(c -> c.verdict() == Check.Verdict.WARN && !c.advice().isEmpty())
                        .map(Check::name)
                        .toList());
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
