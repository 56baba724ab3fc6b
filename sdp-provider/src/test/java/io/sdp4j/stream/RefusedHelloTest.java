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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a Hello that is not spoken here is refused and takes no place in the backlog; one that has
 * no place there is refused, too. Method: a listener with few places, requests by hand with the
 * form of InfiniBand and as they should be.
 */
@Timeout(60)
class RefusedHelloTest {
    private final AtomicReference<Fabric> raw = new AtomicReference<>();
    private InetSocketAddress own;

    @Test
    void theBacklogIsForOthers() throws Exception {
        try (TestFabric fabric = new TestFabric();
                ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket held = new ProvedListener(InetAddress.getLoopbackAddress())) {
            own = (InetSocketAddress) held.getLocalSocketAddress();
            var provider = fabric.provider(this::remembered);
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

    /** S45: it counts what is not accepted, and an accept makes room (docs/protocol.md 3.8). */
    @Test
    void theBacklogIsExact() throws Exception {
        List<Fabric.Connection> made = new ArrayList<>();
        try (TestFabric fabric = new TestFabric();
                ServerSocket port = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                ServerSocket held = new ProvedListener(InetAddress.getLoopbackAddress())) {
            own = (InetSocketAddress) held.getLocalSocketAddress();
            var provider = fabric.provider(this::remembered);
            InetSocketAddress address = (InetSocketAddress) port.getLocalSocketAddress();
            byte[] hello = new byte[Hello.SHORT_BYTES];
            Hello.writeShort(MemorySegment.ofArray(hello), 0, 32, 16, 16_400, 16_400, 4, 4);
            QpSpec spec = fabric.settings().qpSpec();
            try (OffloadListener listener =
                    provider.listen(new ListenSpec(address, false, 2, List.of(), () -> {}))) {
                made.add(raw.get().connect(request(address, hello, spec)));
                made.add(raw.get().connect(request(address, hello, spec)));
                for (int i = 0; i < 3; i++) {
                    FabricException refused =
                            assertThrows(
                                    FabricException.class,
                                    () -> raw.get().connect(request(address, hello, spec)));
                    assertEquals(FabricException.Cause.REFUSED, refused.why());
                    assertEquals(4, refused.privateData()[0], "the backlog");
                }
                await().atMost(Duration.ofSeconds(20)).until(listener::pending);
                listener.poll().close(true);
                made.add(raw.get().connect(request(address, hello, spec)));
            } finally {
                made.forEach(c -> c.queuePair().close());
            }
        }
    }

    private Fabric remembered(Fabric fabric) {
        raw.set(fabric);
        return fabric;
    }

    private Established open(TestFabric fabric, InetSocketAddress to) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        return ActiveOpen.connect(
                raw.get(),
                fabric.context(),
                new ConnectSpec(to, _ -> own, List.of(), deadline, true, () -> false));
    }
}
