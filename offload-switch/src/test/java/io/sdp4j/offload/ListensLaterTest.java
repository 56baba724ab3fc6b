package io.sdp4j.offload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.Streams;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a listener does not wait for providers that may listen later, and misses nothing. */
@Timeout(30)
class ListensLaterTest {
    private static final InetSocketAddress AT =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
    private static final Decision FIRST = Decision.of(Verdict.OFFLOAD_FIRST, "use both", "f:1");

    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger signals = new AtomicInteger();
    private final Slow provider = new Slow();

    /** Listens when it is told to; a stream waits at once. */
    private final class Slow implements OffloadProvider, OffloadListener {
        private boolean later = true;
        private boolean fails;
        private boolean lacksClass;
        private final List<InetSocketAddress> asked = new CopyOnWriteArrayList<>();
        private volatile boolean closed;
        private OffloadStream waits;

        @Override
        public String name() {
            return "slow";
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "none");
        }

        @Override
        public boolean moves(InetAddress remote, List<String> fabrics) {
            return true;
        }

        @Override
        public boolean listensLater(List<String> fabrics) {
            return later;
        }

        @Override
        public OffloadListener listen(ListenSpec spec) throws OffloadUnavailable {
            asked.add(spec.address());
            awaitGo();
            if (lacksClass) {
                throw new NoClassDefFoundError("missing");
            }
            if (fails) {
                throw new OffloadUnavailable(ReasonCode.UNAVAILABLE, "no memory");
            }
            spec.onPending().run();
            return this;
        }

        @Override
        public OffloadStream poll() {
            return waits;
        }

        @Override
        public boolean pending() {
            return waits != null;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private void awaitGo() {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private OffloadListeners listen(Policy policy, UpgradePolicy upgrade) throws SocketException {
        return listen(AT, policy, upgrade);
    }

    private OffloadListeners listen(InetSocketAddress at, Policy policy, UpgradePolicy upgrade)
            throws SocketException {
        return new OffloadSwitch(
                        () -> policy,
                        List.of(provider),
                        SwitchSettings.defaults().withUpgrade(upgrade))
                .listen(FIRST, at, false, 1, signals::incrementAndGet);
    }

    private OffloadListeners listen() throws SocketException {
        return listen(Policy.allowAll(), UpgradePolicy.AUTO);
    }

    @AfterEach
    void end() {
        go.countDown();
    }

    @Test
    void connectionsMayMoveAtOnce() throws SocketException {
        try (OffloadListeners listening = listen()) {
            assertTrue(listening.offloads());
            assertNotNull(listening.tableFor(AT, AT));
            assertEquals(ReasonCode.ACCEPTED_TCP, listening.why().reason());
            assertNull(listening.poll());
            assertFalse(listening.pending());
        }
    }

    /** Those are the kernel's own, and cost nothing. */
    @Test
    void connectionsOfOtherHostsDoNotMove() throws SocketException {
        try (OffloadListeners listening = listen()) {
            InetSocketAddress other = new InetSocketAddress("192.0.2.1", 4711);
            assertNull(listening.tableFor(AT, other));
            InetSocketAddress own = new InetSocketAddress("192.0.2.2", 4711);
            assertNotNull(listening.tableFor(own, own));
        }
    }

    /** The provider tells of a stream before there is anything to poll. */
    @Test
    void aStreamThatCameEarlyIsToldOfAgain() throws SocketException {
        provider.waits = Streams.of((_, _) -> null);
        try (OffloadListeners listening = listen()) {
            await().until(() -> !provider.asked.isEmpty());
            assertEquals(0, signals.get());
            go.countDown();
            await().until(() -> signals.get() == 2);
            assertSame(provider.waits, listening.poll());
        }
        assertTrue(provider.closed);
    }

    @Test
    void afterAFailureConnectionsStayOnTcp() throws SocketException {
        provider.fails = true;
        try (OffloadListeners listening = listen()) {
            go.countDown();
            await().until(() -> !listening.offloads());
            assertNull(listening.tableFor(AT, AT));
            assertEquals(ReasonCode.UNAVAILABLE, listening.why().reason());
            assertNull(listening.poll());
        }
    }

    @Test
    void afterAnErrorConnectionsStayOnTcp() throws SocketException {
        provider.lacksClass = true;
        try (OffloadListeners listening = listen()) {
            go.countDown();
            await().until(() -> !listening.offloads());
            assertEquals(ReasonCode.INTERNAL, listening.why().reason());
        }
    }

    @Test
    void aListenerThatCameTooLateIsClosed() throws SocketException {
        OffloadListeners listening = listen();
        await().until(() -> !provider.asked.isEmpty());
        listening.close();
        assertFalse(provider.closed);
        go.countDown();
        await().until(() -> provider.closed);
    }

    /**
     * Providers are asked in the order of the listeners. The threads that ask have something else
     * to do until it is closed.
     */
    @Test
    void noneComesForAListenerThatIsClosedAtOnce() throws SocketException {
        for (int i = 0; i < ConnectThreads.THREADS; i++) {
            ConnectThreads.start(this::awaitGo);
        }
        listen().close();
        InetSocketAddress other = new InetSocketAddress(AT.getAddress(), AT.getPort() + 1);
        try (OffloadListeners _ = listen(other, Policy.allowAll(), UpgradePolicy.AUTO)) {
            go.countDown();
            await().until(() -> !provider.asked.isEmpty());
            assertEquals(List.of(other), provider.asked);
        }
    }

    /** A peer with the same rule or setting asks at once, and has nothing to fall back to. */
    @Test
    void waitsWherePeersAskAtOnce() throws SocketException {
        go.countDown();
        Policy requires = Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "f:2"));
        listen(requires, UpgradePolicy.AUTO).close();
        assertTrue(provider.closed);
        provider.closed = false;
        listen(Policy.allowAll(), UpgradePolicy.AT_CONNECT).close();
        assertTrue(provider.closed);
        provider.closed = false;
        provider.later = false;
        listen().close();
        assertTrue(provider.closed);
    }
}
