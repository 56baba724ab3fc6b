package io.sdp4j.stream;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.contract.MovingProvider;
import io.sdp4j.offload.contract.Patience;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadUnavailable;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a connection whose server accepts it late is offloaded in the end. Method: a server that
 * accepts before or after it is asked to move the connection.
 */
@Timeout(60)
class LateServerTest {
    private static final TestFabric FABRIC = TestFabric.opened();

    @AfterAll
    static void shut() throws IOException {
        FABRIC.close();
    }

    private static OffloadSwitch owner(UpgradePolicy policy, OffloadProvider provider) {
        return new OffloadSwitch(
                Policy::allowAll,
                List.of(new MovingProvider(provider)),
                Patience.SETTINGS.withUpgrade(policy));
    }

    /** Run before each connect of a provider. */
    @FunctionalInterface
    private interface Before {
        void connect() throws Exception;
    }

    private static OffloadProvider around(OffloadProvider provider, Before before) {
        return Shims.around(
                OffloadProvider.class,
                provider,
                (_, method, _) -> {
                    if (method.getName().equals("connect")) {
                        before.connect();
                    }
                    return null;
                });
    }

    private static ServerSocket listener(OffloadSwitch owner) throws IOException {
        ServerSocket listener = SwitchedSockets.serverSocket(owner);
        listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        return listener;
    }

    private static void echo(Socket server) throws IOException {
        server.getOutputStream().write(server.getInputStream().read());
    }

    /** Makes round trips until the client says that it is offloaded. */
    private static void awaitOffloaded(Socket client, Socket server) {
        await().until(
                        () -> {
                            client.getOutputStream().write(5);
                            echo(server);
                            assertEquals(5, client.getInputStream().read());
                            return reason(client) == ReasonCode.OFFLOADED;
                        });
    }

    private static ReasonCode reason(Socket socket) {
        return SwitchedSockets.explain(socket).orElseThrow().reason();
    }

    /** Writes for much longer than the first pause before a peer is asked again. */
    private static int writeForAWhile(Socket client) {
        AtomicInteger written = new AtomicInteger();
        await().pollInterval(Duration.ofMillis(10))
                .until(
                        () -> {
                            client.getOutputStream().write(5);
                            return written.incrementAndGet() == 30;
                        });
        return written.get();
    }

    /** Lets the peer be asked when {@code accepted} says so. */
    private static OffloadProvider after(CountDownLatch accepted) {
        return around(FABRIC.provider(), accepted::await);
    }

    @Test
    void aSocketThatMovesAtConnectNeedsNoByte() throws IOException {
        CountDownLatch accepted = new CountDownLatch(1);
        OffloadSwitch owner = owner(UpgradePolicy.AT_CONNECT, after(accepted));
        try (ServerSocket listener = listener(owner);
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            assertEquals(ReasonCode.YOUNG, reason(client));
            try (Socket server = listener.accept()) {
                accepted.countDown();
                await().until(() -> reason(client) == ReasonCode.OFFLOADED);
                await().until(() -> reason(server) == ReasonCode.OFFLOADED);
                awaitOffloaded(client, server);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aChannelThatMovesAtConnectNeedsNoByte(boolean blocking) throws IOException {
        CountDownLatch accepted = new CountDownLatch(1);
        OffloadSwitch owner = owner(UpgradePolicy.AT_CONNECT, after(accepted));
        try (ServerSocket listener = listener(owner);
                SocketChannel client = SwitchChannels.provider(owner).openSocketChannel()) {
            client.configureBlocking(blocking);
            if (!client.connect(listener.getLocalSocketAddress())) {
                await().until(client::finishConnect);
            }
            try (Socket server = listener.accept()) {
                accepted.countDown();
                await().until(() -> reason(client) == ReasonCode.OFFLOADED);
                client.write(ByteBuffer.wrap(new byte[] {5}));
                echo(server);
                ByteBuffer answer = ByteBuffer.allocate(1);
                await().until(() -> client.read(answer) > 0);
                assertEquals(5, answer.get(0));
            }
        }
    }

    private static ReasonCode reason(SocketChannel channel) {
        return SwitchChannels.explain(channel).orElseThrow().reason();
    }

    @Test
    void anAcceptThatComesLate() throws IOException {
        OffloadSwitch owner = owner(UpgradePolicy.afterBytes(1), FABRIC.provider());
        try (ServerSocket listener = listener(owner);
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            int written = writeForAWhile(client);
            assertNotEquals(ReasonCode.OFFLOADED, reason(client));
            try (Socket server = listener.accept()) {
                server.getInputStream().readNBytes(written);
                awaitOffloaded(client, server);
            }
        }
    }

    /** A listener may still be starting when the first connection asks. */
    @Test
    void aListenerThatComesLate() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        Before before =
                () -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new OffloadUnavailable(ReasonCode.NO_PEER, "not yet", true, null);
                    }
                };
        OffloadSwitch owner = owner(UpgradePolicy.afterBytes(1), around(FABRIC.provider(), before));
        try (ServerSocket listener = listener(owner);
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                awaitOffloaded(client, server);
            }
        }
        assertEquals(2, asked.get());
    }

    /** An urgent byte has given the move up while the peer was asked: it is not asked again. */
    @Test
    void urgentDataEndsTheAsking() throws IOException {
        Semaphore asked = new Semaphore(0);
        CountDownLatch urgentSent = new CountDownLatch(1);
        AtomicReference<Thread> asking = new AtomicReference<>();
        Before before =
                () -> {
                    asking.set(Thread.currentThread());
                    asked.release();
                    urgentSent.await();
                };
        OffloadProvider provider = around(FABRIC.provider(), before);
        OffloadSwitch owner = owner(UpgradePolicy.afterBytes(1), provider);
        try (ServerSocket listener = listener(owner);
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            client.getOutputStream().write(5);
            await().until(asked::tryAcquire);
            client.sendUrgentData(6);
            assertEquals(ReasonCode.NOT_WORTH, reason(client));
            urgentSent.countDown();
            await().until( // the answer has come
                            () ->
                                    Stream.of(asking.get().getStackTrace())
                                            .noneMatch(f -> f.getClassName().contains("Upgrade")));
            assertEquals(ReasonCode.NOT_WORTH, reason(client));
            assertEquals(30, writeForAWhile(client));
            assertEquals(0, asked.availablePermits());
        }
    }
}
