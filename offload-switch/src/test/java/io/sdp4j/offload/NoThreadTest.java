package io.sdp4j.offload;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.LoopbackProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.UnaskedProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.lang.reflect.Field;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: where the system has no thread for an attempt, a connect goes on without offload or fails,
 * and a listener listens. Method: a thread factory of the attempts' that fails as the JVM does.
 */
@Timeout(60)
class NoThreadTest {
    private static final Policy ONLY =
            Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1"));

    private final ThreadPoolExecutor pool;
    private final ThreadFactory usual;

    NoThreadTest() throws ReflectiveOperationException {
        pool = pool("POOL");
        usual = pool.getThreadFactory();
    }

    private static ThreadPoolExecutor pool(String name) throws ReflectiveOperationException {
        Field field = ConnectThreads.class.getDeclaredField(name);
        field.setAccessible(true);
        return (ThreadPoolExecutor) field.get(null);
    }

    private static Thread noThread(Runnable work) {
        throw new OutOfMemoryError("unable to create native thread");
    }

    /** One more than there can be, so that none that other tests have left is taken. */
    @BeforeEach
    void noMoreThreads() {
        pool.setThreadFactory(NoThreadTest::noThread);
        pool.setMaximumPoolSize(ConnectThreads.THREADS + 1);
        pool.setCorePoolSize(ConnectThreads.THREADS + 1);
    }

    @AfterEach
    void threads() {
        pool.setCorePoolSize(ConnectThreads.THREADS);
        pool.setMaximumPoolSize(ConnectThreads.THREADS);
        pool.setThreadFactory(usual);
    }

    private static OffloadSwitch over(Policy policy, OffloadProvider provider) {
        return new OffloadSwitch(() -> policy, List.of(provider), Patience.SETTINGS);
    }

    private static ServerSocket listener() throws Exception {
        return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @Test
    void aConnectWithATimeOutGoesOnByTcp() throws Exception {
        OffloadSwitch owner = over(Policy.allowAll(), new FailingProvider());
        try (ServerSocket plain = listener();
                Socket s = SwitchedSockets.socket(owner)) {
            s.connect(plain.getLocalSocketAddress(), 10_000);
            assertEquals(1L, owner.report().reasons().get(ReasonCode.MEMORY));
        }
    }

    @Test
    void aConnectThatDoesNotBlockGoesOnByTcp() throws Exception {
        OffloadSwitch owner = over(Policy.allowAll(), new FailingProvider());
        try (ServerSocket plain = listener();
                SocketChannel c = SwitchChannels.provider(owner).openSocketChannel();
                Selector selector = c.provider().openSelector()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, SelectionKey.OP_CONNECT);
            if (!c.connect(plain.getLocalSocketAddress())) {
                assertEquals(1, selector.select());
                assertTrue(key.isConnectable());
                assertTrue(c.finishConnect());
            }
            assertEquals(ReasonCode.MEMORY, SwitchChannels.explain(c).orElseThrow().reason());
        }
    }

    @Test
    void oneThatMustBeOffloadedFails() throws Exception {
        OffloadSwitch owner = over(ONLY, new FailingProvider());
        try (ServerSocket plain = listener();
                SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            c.configureBlocking(false);
            ConnectException e =
                    assertThrows(
                            ConnectException.class, () -> c.connect(plain.getLocalSocketAddress()));
            assertTrue(e.getMessage().contains("no thread"), e.getMessage());
            assertFalse(c.isOpen());
            assertEquals(1, owner.report().refused());
        }
    }

    /** Those that others have left are gone first. */
    @Test
    void aTaskThatMayWaitHasAVirtualOne() throws Exception {
        ThreadPoolExecutor apart = pool("APART");
        ThreadFactory factory = apart.getThreadFactory();
        long seconds = apart.getKeepAliveTime(TimeUnit.SECONDS);
        apart.setKeepAliveTime(1, TimeUnit.MILLISECONDS);
        apart.setThreadFactory(NoThreadTest::noThread);
        try {
            Awaitility.await().until(() -> apart.getPoolSize() == 0);
            CompletableFuture<Boolean> ran = new CompletableFuture<>();
            ConnectThreads.startApart(() -> ran.complete(Thread.currentThread().isVirtual()));
            assertTrue(ran.get());
        } finally {
            apart.setThreadFactory(factory);
            apart.setKeepAliveTime(seconds, TimeUnit.SECONDS);
        }
    }

    @Test
    void aListenerWaitsForTheProvider() throws Exception {
        AtomicReference<Thread> listens = new AtomicReference<>();
        OffloadProvider later =
                new UnaskedProvider() {
                    @Override
                    public boolean moves(InetAddress remote, List<String> fabrics) {
                        return true;
                    }

                    @Override
                    public boolean listensLater(List<String> fabrics) {
                        return true;
                    }

                    @Override
                    public OffloadListener listen(ListenSpec spec) {
                        listens.set(Thread.currentThread());
                        return new LoopbackProvider().listen(spec);
                    }
                };
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(later),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.AUTO));
        Decision first = Decision.of(Verdict.OFFLOAD_FIRST, "use both", "test:1");
        assertTrue(owner.listensLater(first));
        InetSocketAddress at = new InetSocketAddress(InetAddress.getLoopbackAddress(), 4711);
        try (OffloadListeners listening = owner.listen(first, at, false, 1, () -> {})) {
            assertEquals(Thread.currentThread(), listens.get());
            assertTrue(listening.offloads());
        }
    }
}
