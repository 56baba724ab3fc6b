package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.QpSpec;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.wire.Hello;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a Hello that is not spoken here is refused and takes no place in the backlog. Method: a
 * listener with one place, requests by hand with the form of InfiniBand, then one as it should be.
 */
@Timeout(60)
class RefusedHelloTest {
    private final AtomicReference<Fabric> raw = new AtomicReference<>();
    private InetSocketAddress own;

    @Test
    void theBacklogIsForOthers() throws Exception {
        try (TestFabric fabric = new TestFabric();
                ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket held = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            own = (InetSocketAddress) held.getLocalSocketAddress();
            var provider =
                    fabric.provider(
                            f -> {
                                raw.set(f);
                                return f;
                            });
            InetSocketAddress address = (InetSocketAddress) port.getLocalSocketAddress();
            byte[] hello = new byte[Hello.IB_BYTES];
            Hello.writeIb(
                    MemorySegment.ofArray(hello), 0, 4, 32, 16, 16_400, 16_400, 5001, 0, 1, 0, 2);
            try (OffloadListener listener =
                    provider.listen(new ListenSpec(address, false, 1, List.of(), () -> {}))) {
                QpSpec spec = fabric.settings().qpSpec();
                for (int i = 0; i < 3; i++) {
                    FabricException refused =
                            assertThrows(
                                    FabricException.class,
                                    () -> raw.get().connect(request(address, hello, spec)));
                    assertEquals(FabricException.Cause.REFUSED, refused.why());
                    assertEquals(2, refused.privateData()[0], "malformed, not the backlog");
                }
                Established client = open(fabric, address);
                await().atMost(Duration.ofSeconds(20)).until(listener::pending);
                client.abort();
            }
        }
    }

    private ConnectRequest request(InetSocketAddress to, byte[] hello, QpSpec spec) {
        long now = System.nanoTime();
        long deadline = now + TimeUnit.SECONDS.toNanos(20);
        return new ConnectRequest(
                to, _ -> own, hello, spec, now, deadline, deadline, () -> false, _ -> {}, -1);
    }

    private Established open(TestFabric fabric, InetSocketAddress to) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        return ActiveOpen.connect(
                raw.get(),
                fabric.context(),
                new ConnectSpec(to, _ -> own, List.of(), deadline, true, () -> false));
    }
}
