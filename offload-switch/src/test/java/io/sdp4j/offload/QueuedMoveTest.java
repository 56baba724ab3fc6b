package io.sdp4j.offload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sdp4j.offload.contract.FailingProvider;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: neither the end of one connection nor another connect waits for the silent peers of
 * connections that are to move. Method: the threads that ask providers for a move have something
 * else to do.
 */
@Timeout(60)
class QueuedMoveTest implements OffloadProvider {
    private final CountDownLatch go = new CountDownLatch(1);

    @Override
    public String name() {
        return "unasked";
    }

    @Override
    public OffloadStream connect(ConnectSpec spec) {
        throw new AssertionError("asked to connect");
    }

    @Override
    public OffloadListener listen(ListenSpec spec) {
        throw new AssertionError("asked to listen");
    }

    private void awaitGo() {
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @BeforeEach
    void keepTheThreads() {
        for (int i = 0; i < ConnectThreads.THREADS; i++) {
            ConnectThreads.startMove(this::awaitGo);
        }
    }

    @AfterEach
    void letThemGo() {
        go.countDown();
    }

    @Test
    void anEndDoesNotWaitForThem() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new MovingProvider(this)),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)));
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                client.getOutputStream().write(1); // it is worth moving now
                assertEquals(1, server.getInputStream().read());
            }
            InputStream in = client.getInputStream();
            assertEquals(-1, Task.start(() -> in.read()).get());
        }
    }

    @Test
    void aConnectDoesNotWaitForThem() throws Exception {
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(new FailingProvider()),
                        SwitchSettings.defaults());
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel c = SwitchChannels.provider(owner).openSocketChannel()) {
            c.configureBlocking(false);
            boolean done = c.connect(listener.getLocalSocketAddress());
            await().atMost(Duration.ofSeconds(30)).until(() -> done || c.finishConnect());
        }
    }
}
