package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchSettings;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import io.sdp4j.policy.Verdict;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a connection that must be offloaded waits for a server that listens on the kernel and not
 * yet on shared memory, and for nothing else. Method: a listener of the kernel's, and the one on
 * shared memory later or never.
 */
@Timeout(60)
class StartingServerTest {
    private static final TestFabric FABRIC = TestFabric.opened();

    private final AtomicInteger asked = new AtomicInteger();
    private final OffloadSwitch owner = owner(Patience.SETTINGS);

    private OffloadSwitch owner(SwitchSettings settings) {
        return new OffloadSwitch(
                () -> Policy.everything(Decision.of(Verdict.OFFLOAD_ONLY, "use sdp", "test:1")),
                List.of(counted(FABRIC.provider())),
                settings);
    }

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    private OffloadProvider counted(OffloadProvider provider) {
        return Shims.around(
                OffloadProvider.class,
                provider,
                (_, method, _) -> {
                    if (method.getName().equals("connect")) {
                        asked.incrementAndGet();
                    }
                    return null;
                });
    }

    private static ServerSocket kernelListener() throws IOException {
        return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @Test
    void itIsWaitedFor() throws Exception {
        try (ServerSocket kernel = kernelListener();
                Socket client = SwitchedSockets.socket(owner)) {
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalSocketAddress();
            Task<ReasonCode> connecting =
                    Task.start(
                            Task.Kind.PLATFORM,
                            () -> {
                                client.connect(at);
                                return SwitchedSockets.explain(client).orElseThrow().reason();
                            });
            await().until(() -> asked.get() > 2);
            ListenSpec spec = new ListenSpec(at, false, 5, List.of(), () -> {});
            try (OffloadListener _ = FABRIC.provider().listen(spec)) {
                assertEquals(ReasonCode.OFFLOADED, connecting.get());
            }
        }
    }

    @Test
    void oneThatNeverOffersIsRefused() throws Exception {
        OffloadSwitch hurried = owner(new SwitchSettings(Duration.ofSeconds(1).toNanos(), 0));
        try (ServerSocket kernel = kernelListener();
                Socket client = SwitchedSockets.socket(hurried)) {
            ConnectException e =
                    assertThrows(
                            ConnectException.class,
                            () -> client.connect(kernel.getLocalSocketAddress()));
            assertTrue(e.getMessage().contains("does not offer shm there"), e.getMessage());
            assertTrue(asked.get() > 2, () -> "asked " + asked);
        }
    }

    @Test
    void nothingIsWaitedForWhereNothingListens() throws Exception {
        InetSocketAddress at;
        try (ServerSocket gone = kernelListener()) {
            at = (InetSocketAddress) gone.getLocalSocketAddress();
        }
        try (Socket client = SwitchedSockets.socket(owner)) {
            assertThrows(ConnectException.class, () -> client.connect(at));
            assertEquals(1, asked.get());
        }
    }

    /** As in a connect of the JDK's. */
    @Test
    void aThreadThatIsInterruptedGoesOnWaiting() throws Exception {
        OffloadSwitch hurried = owner(new SwitchSettings(Duration.ofSeconds(1).toNanos(), 0));
        try (ServerSocket kernel = kernelListener();
                Socket client = SwitchedSockets.socket(hurried)) {
            Thread.currentThread().interrupt();
            assertThrows(
                    ConnectException.class, () -> client.connect(kernel.getLocalSocketAddress()));
            assertTrue(Thread.interrupted());
            assertTrue(asked.get() > 2, () -> "asked " + asked);
        }
    }
}
