package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the resolver understands this machine's own kernel. Method: real netlink, and a directory
 * that shows an RDMA device on an interface that this machine has.
 */
@Timeout(60)
class KernelNetlinkTest {
    @TempDir Path devices;
    private final TestLoop loop = TestLoop.take();
    private NetworkInterface link;
    private Inet4Address own;

    @BeforeEach
    void findAnInterface() throws IOException {
        for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
            if (own == null && each.isUp() && !each.isLoopback()) {
                link = each;
                own =
                        (Inet4Address)
                                each.inetAddresses()
                                        .filter(Inet4Address.class::isInstance)
                                        .findFirst()
                                        .orElse(null);
            }
        }
        assumeTrue(own != null, "this machine has nothing but loopback");
        byte[] a = own.getAddress();
        Path port = devices.resolve("test0/ports/1");
        write(port.resolve("state"), "4: ACTIVE");
        write(port.resolve("link_layer"), "Ethernet");
        write(
                port.resolve("gids/0"),
                String.format(
                        Locale.ROOT,
                        "0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x",
                        a[0],
                        a[1],
                        a[2],
                        a[3]));
        write(port.resolve("gid_attrs/types/0"), "RoCE v2");
        write(port.resolve("gid_attrs/ndevs/0"), link.getName());
    }

    @AfterEach
    void giveBack() {
        assertNull(loop.giveBack());
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    private DeviceResolver resolver(EventLoop events) {
        return new DeviceResolver((l, r) -> List.of(), new KernelNetlink(events), devices);
    }

    /** Inodes, in the last column, of those of netlink that this process holds. */
    private static List<String> sockets() throws IOException {
        List<String> own = Proc.descriptors();
        try (var lines = Files.lines(Path.of("/proc/self/net/netlink"))) {
            return lines.map(line -> line.strip().replaceAll(".*\\s", ""))
                    .filter(inode -> own.contains("socket:[" + inode + "]"))
                    .toList();
        }
    }

    @Test
    void theKernelLeadsToItsOwnAddress() throws IOException {
        try (DeviceResolver resolver = resolver(loop.loop())) {
            FabricPath path = resolver.paths(null, own).getFirst();
            assertTrue(path.usable(), path.reason());
            assertEquals("test0", path.device());
            assertEquals(link.getName(), path.rdma().orElseThrow().interfaceName());
            assertEquals(link.getMTU(), path.rdma().orElseThrow().interfaceMtuBytes());
            assertEquals(own, path.rdma().orElseThrow().source());
            FabricPath lo = resolver.paths(null, InetAddress.getLoopbackAddress()).getFirst();
            assertEquals(PathCode.LOOPBACK, lo.code());
        }
    }

    @Test
    void everyAddressOfThisMachineIsAnswered() throws IOException {
        try (DeviceResolver resolver = resolver(null)) {
            for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
                for (InetAddress address : each.inetAddresses().toList()) {
                    FabricPath path = resolver.paths(null, address).getFirst();
                    boolean known = path.usable() || !path.reason().isEmpty();
                    assertTrue(known, address + " " + path);
                    assertFalse(path.usable() && path.device().isEmpty(), address + " not known");
                }
            }
        }
    }

    @Test
    void nothingStaysOpen() throws IOException {
        List<String> before = sockets();
        DeviceResolver resolver = resolver(loop.loop());
        resolver.paths(null, own);
        assertFalse(before.containsAll(sockets()));
        resolver.close();
        await().until(() -> before.containsAll(sockets()));
    }

    /** The limits are generous, because the machine may be busy. */
    @Test
    void decidesInMicroseconds() throws IOException {
        InetAddress remote = InetAddress.ofLiteral("192.0.2.1");
        try (DeviceResolver without =
                        new DeviceResolver(
                                (l, r) -> List.of(),
                                new KernelNetlink(loop.loop()),
                                devices.resolve("no"));
                DeviceResolver with = resolver(loop.loop())) {
            long none = medianNanos(without, remote);
            long beside = medianNanos(with, own);
            assertTrue(none < TimeUnit.MILLISECONDS.toNanos(2), none + " ns");
            assertTrue(beside < TimeUnit.MILLISECONDS.toNanos(20), beside + " ns");
        }
    }

    private static long medianNanos(DeviceResolver resolver, InetAddress remote) {
        long[] times = new long[2001];
        for (int i = 0; i < times.length; i++) {
            long start = System.nanoTime();
            var _ = resolver.paths(null, remote);
            times[i] = System.nanoTime() - start;
        }
        Arrays.sort(times);
        return times[times.length / 2];
    }
}
