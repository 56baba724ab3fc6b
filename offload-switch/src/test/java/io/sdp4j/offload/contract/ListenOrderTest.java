package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.contract.ListenPortTest.Bound;
import io.sdp4j.offload.contract.ListenPortTest.Kind;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: a client that can reach a new server by TCP can reach it by offload. Method: a provider
 * that connects by TCP while it is asked to listen.
 */
@Timeout(60)
class ListenOrderTest {
    private static final InetAddress HERE = InetAddress.getLoopbackAddress();

    private final Early early = new Early();
    private final OffloadSwitch owner =
            new OffloadSwitch(Policy::allowAll, List.of(early), Patience.SETTINGS);

    private static final class Early implements OffloadProvider {
        final AtomicInteger asked = new AtomicInteger();
        final AtomicInteger open = new AtomicInteger();
        final AtomicInteger reachable = new AtomicInteger();

        @Override
        public String name() {
            return "early";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "no listener");
        }

        @Override
        public OffloadListener listen(ListenSpec spec) {
            asked.incrementAndGet();
            try (Socket _ = new Socket(HERE, spec.address().getPort())) {
                reachable.incrementAndGet();
            } catch (ConnectException e) {
                // as it should be
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            open.incrementAndGet();
            return new OffloadListener() {
                @Override
                public OffloadStream poll() {
                    return null;
                }

                @Override
                public boolean pending() {
                    return false;
                }

                @Override
                public void close() {
                    open.decrementAndGet();
                }
            };
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("85: a server is there for offload before it is there for TCP")
    void offloadListensFirst(Kind kind) throws Exception {
        for (InetSocketAddress at :
                List.of(
                        new InetSocketAddress(HERE, FreePorts.one()),
                        new InetSocketAddress(FreePorts.one()))) {
            early.asked.set(0);
            try (Bound b = kind.listen(owner, at)) {
                assertEquals(at.getPort(), b.address().getPort());
                assertEquals(1, early.asked.get());
                assertEquals(0, early.reachable.get(), "TCP was first");
                assertEquals(1, early.open.get());
                new Socket(HERE, at.getPort()).close();
            }
            assertEquals(0, early.open.get());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("85: where the port is taken no provider listens for offload")
    void aTakenPortStaysItsOwners(Kind kind) throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, HERE)) {
            InetSocketAddress at = new InetSocketAddress(HERE, taken.getLocalPort());
            assertThrows(BindException.class, () -> kind.listen(owner, at).close());
            assertEquals(0, early.asked.get());
            assertTrue(taken.isBound());
        }
    }
}
