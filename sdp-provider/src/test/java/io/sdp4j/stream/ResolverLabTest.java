package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import java.io.IOException;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * Goal: with a real RDMA stack the resolver names the device, and follows what is plugged and
 * unplugged without being told. Method: on the host of the lab, which is ours to change.
 */
@Timeout(60)
@EnabledIfEnvironmentVariable(named = "LAB_ADDR", matches = ".+", disabledReason = "no RDMA device")
class ResolverLabTest {
    private static final String DEVICE = System.getenv("LAB_DEVICE");
    private static final String NETDEV = System.getenv("LAB_NETDEV");
    private static final InetAddress PEER = literal(System.getenv("LAB_PEER"));
    private static final InetAddress ADDED = literal("10.77.0.1");
    private static final InetAddress BEHIND = literal("10.77.0.2");

    private static InetAddress literal(String address) {
        return address == null ? null : InetAddress.ofLiteral(address);
    }

    private static void run(String command) throws IOException, InterruptedException {
        Process p =
                new ProcessBuilder("sh", "-c", command)
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                        .start();
        assertEquals(0, p.waitFor(), command);
    }

    @Test
    void followsWhatIsPluggedAndUnplugged() throws IOException, InterruptedException {
        TestLoop loop = TestLoop.take();
        try (DeviceResolver resolver =
                DeviceResolver.behind((l, r) -> List.of(), new KernelNetlink(loop.loop()))) {
            FabricPath path = resolver.paths(null, PEER).getFirst();
            assertTrue(path.usable(), path.reason());
            assertEquals(DEVICE, path.device());
            assertEquals(NETDEV, path.rdma().orElseThrow().interfaceName());
            System.out.println(path.rdma().orElseThrow().sentence());

            assertEquals(PathCode.NO_ROUTE, code(resolver, BEHIND));
            run("ip addr add " + ADDED.getHostAddress() + "/24 dev " + NETDEV);
            await().until(() -> code(resolver, BEHIND) == PathCode.USABLE);
            assertEquals(
                    ADDED, resolver.paths(null, BEHIND).getFirst().rdma().orElseThrow().source());

            run("ip link add plain9 type dummy && ip link set plain9 up");
            run("ip addr add 10.78.0.1/24 dev plain9");
            await().until(() -> code(resolver, literal("10.78.0.2")) == PathCode.NOT_RDMA);

            run("rdma link delete " + DEVICE);
            assertEquals(PathCode.NO_DEVICE, code(resolver, PEER));
            run(
                    "rdma link add again0 type "
                            + DEVICE.replaceAll("[0-9]", "")
                            + " netdev "
                            + NETDEV);
            await().until(() -> code(resolver, PEER) == PathCode.USABLE);
            assertEquals("again0", resolver.paths(null, PEER).getFirst().device());

            run("ip addr del " + ADDED.getHostAddress() + "/24 dev " + NETDEV);
            await().until(() -> code(resolver, BEHIND) == PathCode.NO_ROUTE);
        } finally {
            assertNull(loop.giveBack());
        }
    }

    private static PathCode code(DeviceResolver resolver, InetAddress to) {
        return resolver.paths(null, to).getFirst().code();
    }
}
