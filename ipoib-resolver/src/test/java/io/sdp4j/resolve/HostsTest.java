package io.sdp4j.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: on every kind of host each destination leads to the right device, port and GID, or to the
 * right reason. Method: recorded and built hosts (hosts/README.md), one line per destination.
 */
@Timeout(60)
class HostsTest {
    private static final int IB0 = 3;
    private static final int IFF_RUNNING = 0x40;

    @TempDir Path directory;

    private List<FabricPath> paths(String host, String local, String remote) throws IOException {
        RecordedHost recorded = new RecordedHost(host, directory);
        try (DeviceResolver resolver = recorded.resolver()) {
            InetAddress from = local == null ? null : InetAddress.ofLiteral(local);
            return resolver.paths(from, InetAddress.ofLiteral(remote));
        } finally {
            assertEquals(0, recorded.open.get(), "left open");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    roce-vlan  | 10.10.0.2       | rxe0 | 1024 | lab0     |   0 | RoCE v2 | 1 | ::ffff:10.10.0.1
                    roce-vlan  | fd10::2         | rxe0 | 1024 | lab0     |   0 | RoCE v2 | 2 | fd10:0:0:0:0:0:0:1
                    roce-vlan  | 10.100.0.2      | rxe0 | 1024 | lab0.100 | 100 | RoCE v2 | 3 | ::ffff:10.100.0.1
                    roce-vlan  | 2001:db8:100::2 | rxe0 | 1024 | lab0.100 | 100 | RoCE v2 | 4 | 2001:db8:100:0:0:0:0:1
                    roce-vlan  | 10.9.3.3        | rxe0 | 1024 | lab0.100 | 100 | RoCE v2 | 3 | ::ffff:10.100.0.1
                    roce-vlan  | 10.10.0.1       | rxe0 | 1024 | lab0     |   0 | RoCE v2 | 1 | ::ffff:10.10.0.1
                    roce-vlan  | fd10::1         | rxe0 | 1024 | lab0     |   0 | RoCE v2 | 2 | fd10:0:0:0:0:0:0:1
                    roce-bond  | 10.50.0.2       | rxe1 | 1024 | bond0    |   0 | RoCE v2 | 1 | ::ffff:10.50.0.1
                    roce-bond  | 2001:db8:50::2  | rxe1 | 1024 | bond0    |   0 | RoCE v2 | 2 | 2001:db8:50:0:0:0:0:1
                    iwarp      | 10.10.0.2       | siw0 | 0    | lab0     |   0 | iWARP   | 0 | 5254:0:a:0:0:0:0:0
                    iwarp      | fd10::2         | siw0 | 0    | lab0     |   0 | iWARP   | 0 | 5254:0:a:0:0:0:0:0
                    iwarp      | 10.100.0.2      | siw0 | 0    | lab0.100 | 100 | iWARP   | 0 | 5254:0:a:0:0:0:0:0
                    infiniband | 10.1.0.2        | mlx5_0 | 2048 | ib0      | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    infiniband | 2001:db8:1::2   | mlx5_0 | 2048 | ib0      | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    infiniband | 10.81.0.2       | mlx5_0 | 0    | ib0.8001 | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    infiniband | 10.82.0.2       | mlx5_0 | 2048 | ib0.8002 | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    infiniband | 10.50.0.2       | mlx5_0 | 2048 | bond0    | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    infiniband | 10.7.0.1        | mlx5_0 | 2048 | ib0      | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    infiniband | 10.1.0.1        | mlx5_0 | 2048 | ib0      | 0 | InfiniBand | 0 | fe80:0:0:0:2:c903:f1:aaaa
                    roce-lag   | 10.60.0.2       | mlx5_bond_0 | 4096 | bond0     |   0 | RoCE v2 | 3 | ::ffff:10.60.0.1
                    roce-lag   | 10.200.0.2      | mlx5_bond_0 | 4096 | bond0.200 | 200 | RoCE v2 | 7 | ::ffff:10.200.0.1
                    roce-lag   | 2001:db8:200::2 | mlx5_bond_0 | 4096 | bond0.200 | 200 | RoCE v2 | 9 | 2001:db8:200:0:0:0:0:1
                    """)
    void leadsOver(
            String host,
            String remote,
            String device,
            int mtu,
            String link,
            int vlan,
            String transport,
            int gidIndex,
            String gid)
            throws IOException {
        FabricPath path = paths(host, null, remote).getFirst();
        assertTrue(path.usable(), path.reason());
        assertEquals("verbs", path.fabric());
        assertEquals(device, path.device());
        assertEquals(1, path.port());
        assertEquals(mtu, path.mtuBytes());
        RdmaRoute rdma = path.rdma().orElseThrow();
        assertEquals(link, rdma.interfaceName());
        assertEquals(vlan, rdma.vlan());
        assertEquals(transport, rdma.transport());
        assertEquals(gidIndex, rdma.gidIndex());
        assertEquals(gid, rdma.gid());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    none       | 192.0.2.1      | NO_DEVICE | no RDMA device is present
                    none       | 2001:db8::1    | NO_DEVICE | no RDMA device is present
                    roce-vlan  | 172.20.0.2     | NOT_RDMA  | 172.20.0.2 is reached by plain0, which is not on an RDMA device
                    roce-vlan  | 192.0.2.1      | NO_ROUTE  | the kernel has no route to 192.0.2.1
                    roce-vlan  | 198.51.100.1   | NO_ROUTE  | the kernel has no route to 198.51.100.1
                    roce-vlan  | 203.0.113.1    | NO_ROUTE  | the kernel's routes prohibit 203.0.113.1
                    roce-vlan  | 2001:db8:50::2 | NO_ROUTE  | the kernel has no route to 2001:db8:50:0:0:0:0:2
                    roce-vlan  | 127.0.0.1      | LOOPBACK  | loopback addresses are not on RDMA devices
                    roce-vlan  | ::1            | LOOPBACK  | loopback addresses are not on RDMA devices
                    roce-vlan  | 224.0.0.1      | MULTICAST | multicast has no connections
                    roce-vlan  | fe80::2        | LINK_LOCAL | a server could not see the scope of a link-local IPv6 address
                    iwarp      | 172.20.0.2     | NOT_RDMA  | 172.20.0.2 is reached by plain0, which is not on an RDMA device
                    infiniband | 192.168.0.2    | NOT_RDMA  | 192.168.0.2 is reached by eth0, which is not on an RDMA device
                    infiniband | 10.9.0.2       | NOT_RDMA  | 10.9.0.2 is reached by ib9, which is not on an RDMA device
                    infiniband | 10.2.0.2       | PORT_DOWN | mlx5_1 port 1 is INIT
                    infiniband | 10.83.0.2      | NO_PARTITION | mlx5_0 port 1 is not in partition 0x8003, which is that of ib0.8003
                    roce-lag   | 192.168.0.2    | NOT_RDMA  | 192.168.0.2 is reached by eth0, which is not on an RDMA device
                    roce-lag   | 10.200.0.77    | NO_GID    | mlx5_bond_0 port 1 has no GID for 10.200.0.9 on bond0.200
                    roce-lag   | 10.30.0.2      | NO_GID    | mlx5_bond_0 port 1 has no GID for 10.30.0.1 on bond0.300
                    """)
    void leadsNowhere(String host, String remote, PathCode code, String reason) throws IOException {
        List<FabricPath> paths = paths(host, null, remote);
        assertEquals(1, paths.size(), paths::toString);
        assertFalse(paths.getFirst().usable());
        assertEquals(code, paths.getFirst().code());
        assertEquals(reason, paths.getFirst().reason());
    }

    @Test
    void theDeviceThatIsDownComesLast() throws IOException {
        RecordedHost host = new RecordedHost("roce-bond", directory);
        Path gids = host.devices.resolve("first/ports/1");
        RecordedHost.write(gids.resolve("state"), "1: DOWN");
        RecordedHost.write(gids.resolve("link_layer"), "Ethernet");
        RecordedHost.write(gids.resolve("gids/0"), "0000:0000:0000:0000:0000:ffff:0a32:0001");
        RecordedHost.write(gids.resolve("gid_attrs/ndevs/0"), "bond0");
        try (DeviceResolver resolver = host.resolver()) {
            List<FabricPath> paths = resolver.paths(null, InetAddress.ofLiteral("10.50.0.2"));
            assertEquals(List.of("rxe1", "first"), paths.stream().map(FabricPath::device).toList());
            assertEquals(PathCode.PORT_DOWN, paths.getLast().code());
            assertEquals("RoCE v1", paths.getLast().rdma().orElseThrow().transport());
        }
    }

    /** Soft-RoCE's port on the lower link has no GID of the bond's address. */
    @Test
    void aMemberOfABondIsNoWayByItself() throws IOException {
        RecordedHost host = new RecordedHost("roce-bond", directory);
        RecordedHost.write(host.devices.resolve("rxe1/ports/1/gid_attrs/ndevs/1"), "eth9");
        try (DeviceResolver resolver = host.resolver()) {
            FabricPath path = resolver.paths(null, InetAddress.ofLiteral("10.50.0.2")).getFirst();
            assertEquals("rxe1 port 1 has no GID for 10.50.0.1 on bond0", path.reason());
        }
    }

    @Test
    void saysHowPacketsGo() throws IOException {
        RdmaRoute ib = paths("infiniband", null, "10.7.0.1").getFirst().rdma().orElseThrow();
        assertEquals(
                "InfiniBand by ib0, from 10.1.0.1, through 10.1.0.254, GID 0"
                        + " fe80:0:0:0:2:c903:f1:aaaa",
                ib.sentence());
        assertEquals(
                "00:00:00:48:fe:80:00:00:00:00:00:00:00:02:c9:03:00:f1:aa:aa",
                ib.hardwareAddress());
        assertEquals(2044, ib.interfaceMtuBytes());
        RdmaRoute roce = paths("roce-vlan", null, "10.9.3.3").getFirst().rdma().orElseThrow();
        assertEquals(
                "RoCE v2 by lab0.100 (VLAN 100), from 10.100.0.1, through 10.100.0.7, GID 3"
                        + " ::ffff:10.100.0.1",
                roce.sentence());
    }

    /** A limited member is one; a bond of IPoIB is where its member is. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    10.1.0.2   | 0xffff | ib0
                    10.81.0.2  | 0x8001 | ib0.8001 (partition 0x8001)
                    10.82.0.2  | 0x8002 | ib0.8002 (partition 0x8002)
                    10.50.0.2  | 0x8001 | bond0 (partition 0x8001)
                    """)
    void ipoibIsInAPartition(String remote, String partition, String link) throws IOException {
        RdmaRoute ib = paths("infiniband", null, remote).getFirst().rdma().orElseThrow();
        assertEquals(partition, ib.partitionText());
        assertTrue(ib.sentence().startsWith("InfiniBand by " + link + ", from "), ib.sentence());
        RdmaRoute roce = paths("roce-vlan", null, "10.10.0.2").getFirst().rdma().orElseThrow();
        assertEquals("", roce.partitionText());
    }

    /** The subnet manager may take a port out of a partition at any time. */
    @Test
    void aPartitionThatThePortHasLeftIsNoWay() throws IOException {
        RecordedHost host = new RecordedHost("infiniband", directory);
        InetAddress peer = InetAddress.ofLiteral("10.81.0.2");
        try (DeviceResolver resolver = host.resolver()) {
            assertTrue(resolver.paths(null, peer).getFirst().usable());
            RecordedHost.write(host.devices.resolve("mlx5_0/ports/1/pkeys/2"), "0x0000");
            assertEquals(PathCode.NO_PARTITION, resolver.paths(null, peer).getFirst().code());
            RecordedHost.write(host.devices.resolve("mlx5_0/ports/1/pkeys/2"), "nonsense");
            assertEquals(PathCode.NO_PARTITION, resolver.paths(null, peer).getFirst().code());
            Files.delete(host.devices.resolve("mlx5_0/ports/1/pkeys/0"));
            assertTrue(resolver.paths(null, peer).getFirst().usable(), "sysfs does not say");
        }
    }

    @Test
    void anIpv4RouteMayGoThroughIpv6() throws IOException {
        RdmaRoute ib = paths("infiniband", null, "10.8.0.1").getFirst().rdma().orElseThrow();
        assertEquals(InetAddress.ofLiteral("2001:db8:1::fe"), ib.gateway());
    }

    @Test
    void theCallersAddressDecidesAboutTheGid() throws IOException {
        FabricPath path = paths("roce-lag", "10.200.0.1", "10.200.0.77").getFirst();
        assertEquals(7, path.rdma().orElseThrow().gidIndex());
        path = paths("roce-lag", "0.0.0.0", "10.200.0.77").getFirst();
        assertEquals(PathCode.NO_GID, path.code());
    }

    /** The connection manager would leave by the interface that has the address. */
    @Test
    void anAddressOfAnotherInterfaceThanTheRoutesIsNoWay() throws IOException {
        FabricPath path = paths("roce-lag", "10.30.0.1", "10.200.0.77").getFirst();
        assertEquals(PathCode.NO_ROUTE, path.code());
        assertTrue(path.reason().contains(", but 10.30.0.1 is an address of "), path::reason);
    }

    @Test
    void anInterfaceWithoutCarrierIsNoWay() throws IOException {
        RecordedHost host = new RecordedHost("infiniband", directory);
        for (byte[] datagram : host.links) {
            ByteBuffer b = ByteBuffer.wrap(datagram).order(ByteOrder.nativeOrder());
            for (int at = 0; at < b.limit(); at += (b.getInt(at) + 3) & ~3) {
                if (b.getShort(at + 4) == RouteMessages.NEWLINK && b.getInt(at + 20) == IB0) {
                    b.putInt(at + 24, b.getInt(at + 24) & ~IFF_RUNNING);
                }
            }
        }
        try (DeviceResolver resolver = host.resolver()) {
            FabricPath path = resolver.paths(null, InetAddress.ofLiteral("10.1.0.2")).getFirst();
            assertEquals(PathCode.LINK_DOWN, path.code());
            assertEquals("ib0 has no carrier", path.reason());
        }
    }
}
