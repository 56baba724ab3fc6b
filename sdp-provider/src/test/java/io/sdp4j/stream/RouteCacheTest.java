package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.shm.ShmConfig;
import io.sdp4j.fabric.shm.ShmFabric;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.EventLoops;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Settings;
import io.sdp4j.resolve.DeviceResolver;
import io.sdp4j.resolve.FabricPath;
import io.sdp4j.resolve.PathCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: the route to a host that was reached a moment ago is not asked for, unless it cannot be
 * reached any more. Method: a fabric of shared memory in the place of verbs, a resolver that
 * counts.
 */
@Timeout(60)
class RouteCacheTest {
    private static final List<String> VERBS = List.of(DeviceResolver.VERBS);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final RouteCache reached = new RouteCache();
    private int asked;
    private boolean there = true;

    private static ConnectSpec at(InetSocketAddress remote, List<String> fabrics, long nanos) {
        long until = nanos + LIMIT_NANOS;
        return new ConnectSpec(
                remote, _ -> remote, fabrics, nanos, until, until, false, () -> false, _ -> {});
    }

    @Test
    void whatWasReachedIsTrustedForAWhileByTheSameRuleAlone() {
        long now = Long.MAX_VALUE - 1; // wraps
        InetSocketAddress remote = new InetSocketAddress("192.0.2.9", 1);
        InetSocketAddress port = new InetSocketAddress("192.0.2.9", 2);
        InetSocketAddress other = new InetSocketAddress("192.0.2.10", 1);
        assertFalse(reached.lately(at(remote, VERBS, now)));
        reached.note(at(remote, VERBS, now));
        assertTrue(reached.lately(at(remote, VERBS, now + RouteCache.TRUSTED_NANOS)));
        assertTrue(reached.lately(at(port, VERBS, now)));
        assertFalse(reached.lately(at(remote, VERBS, now + RouteCache.TRUSTED_NANOS + 1)));
        assertFalse(reached.lately(at(remote, List.of(), now)));
        assertFalse(reached.lately(at(other, VERBS, now)));
        reached.forget(at(port, VERBS, now));
        assertFalse(reached.lately(at(remote, VERBS, now)));
    }

    private List<FabricPath> paths(InetAddress local, InetAddress remote) {
        asked++;
        return List.of(
                there
                        ? FabricPath.usable(DeviceResolver.VERBS, "mlx5_0", 1, 4096)
                        : FabricPath.unusable(
                                DeviceResolver.VERBS, PathCode.LINK_DOWN, "eth0 has no carrier"));
    }

    @Test
    void theWayIsAskedForOnceAndAgainAfterAFailure() throws Exception {
        EventLoop loop = EventLoops.start("test-loop", t -> {});
        SdpOffloadProvider provider =
                new SdpOffloadProvider(
                        new FabricSet(
                                Map.of(
                                        DeviceResolver.VERBS,
                                        () -> ShmFabric.open(ShmConfig.defaults(), loop))),
                        this::paths,
                        StreamSettings.of(Settings.defaults(SdpSettings.ALL)),
                        loop,
                        LIMIT_NANOS);
        try (ServerSocket kernel = new ServerSocket(0, 9, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = (InetSocketAddress) kernel.getLocalSocketAddress();
            OffloadListener listener =
                    provider.listen(new ListenSpec(address, false, 9, List.of(), () -> {}));
            long now = System.nanoTime(); // of all attempts, however long they take
            for (int i = 0; i < 3; i++) {
                provider.connect(at(address, List.of(), now)).close(true);
            }
            assertEquals(1, asked);
            listener.close();
            there = false;
            OffloadUnavailable e =
                    assertThrows(
                            OffloadUnavailable.class,
                            () -> provider.connect(at(address, List.of(), now)));
            assertEquals(2, asked);
            assertEquals(ReasonCode.NOT_LOCAL, e.reason());
            assertEquals("eth0 has no carrier", e.getMessage());
        }
    }
}
