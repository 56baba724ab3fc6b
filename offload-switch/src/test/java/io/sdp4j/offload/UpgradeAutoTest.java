package io.sdp4j.offload;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.contract.SwitchedSockets;
import io.sdp4j.offload.contract.UnaskedProvider;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
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
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Goal: with {@code upgrade=auto} a connection asks to move when that pays, and only then. */
@Timeout(60)
class UpgradeAutoTest {
    private static final int CROWD = UpgradeGate.CROWD + 1;

    private final AtomicInteger runnable = new AtomicInteger(CROWD);
    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private volatile InetSocketAddress askedFor;

    /** Would move each connection, and never has a peer. */
    private class Asked extends UnaskedProvider {
        @Override
        public boolean moves(InetAddress remote, List<String> fabrics) {
            return true;
        }

        @Override
        public OffloadStream connect(ConnectSpec spec) throws OffloadUnavailable {
            askedFor = spec.remote();
            asked.incrementAndGet();
            throw new OffloadUnavailable(ReasonCode.NO_PEER, "none");
        }
    }

    private OffloadSwitch owner(UpgradeGate gate) {
        return owner(UpgradePolicy.AUTO, gate);
    }

    private OffloadSwitch owner(UpgradePolicy policy, UpgradeGate gate) {
        return new OffloadSwitch(
                Policy::allowAll,
                List.of(new Asked()),
                SwitchSettings.defaults().withUpgrade(policy),
                null,
                gate);
    }

    @Test
    void inACrowdOfThreadsItWaitsUntilThatIsGone() throws IOException {
        UpgradeGate gate =
                new UpgradeGate(
                        () -> {
                            looks.incrementAndGet();
                            return runnable.get();
                        },
                        1);
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = SwitchedSockets.socket(owner(gate))) {
            client.connect(listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> trip(client, server) && looks.get() >= 2);
                assertEquals(0, asked.get());
                runnable.set(0);
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> trip(client, server) && asked.get() > 0);
            }
        }
    }

    /** It means this host. */
    @Test
    void theWildcardIsNotTheAddressThatAProviderIsAskedFor() throws IOException {
        OffloadSwitch owner = owner(UpgradePolicy.afterBytes(1), new UpgradeGate(() -> 0, 1));
        try (ServerSocket listener = new ServerSocket(0);
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(new InetSocketAddress("0.0.0.0", listener.getLocalPort()));
            try (Socket _ = listener.accept()) {
                client.getOutputStream().write(1);
                await().until(() -> asked.get() > 0);
                assertEquals(client.getRemoteSocketAddress(), askedFor);
                assertFalse(askedFor.getAddress().isAnyLocalAddress());
            }
        }
    }

    @Test
    void smallMessagesOfVirtualThreadsStayOnTcp() throws Exception {
        byVirtualThreads(
                (client, server, virtual) -> {
                    long end = System.nanoTime() + 2 * UpgradePolicy.AUTO.ageNanos();
                    while (System.nanoTime() < end) {
                        assertTrue(virtual.submit(() -> trip(client, server)).get());
                    }
                    assertEquals(0, asked.get());
                });
    }

    @Test
    void largeMessagesOfVirtualThreadsMove() throws Exception {
        byVirtualThreads(
                (client, server, virtual) ->
                        await().until(
                                        () ->
                                                virtual.submit(() -> sendMuch(client, server)).get()
                                                        > 0));
    }

    /** One that ends while its peer is asked was not refused. */
    @ParameterizedTest
    @EnumSource(names = {"ABANDONED", "MEMORY"})
    void aMoveThatAnEndCutsShortIsNoFallback(ReasonCode told) throws IOException {
        CompletableFuture<Thread> asking = new CompletableFuture<>();
        Socket[] closed = new Socket[1];
        OffloadSwitch owner =
                new OffloadSwitch(
                        Policy::allowAll,
                        List.of(
                                new Asked() {
                                    @Override
                                    public OffloadStream connect(ConnectSpec spec)
                                            throws OffloadUnavailable {
                                        asking.complete(Thread.currentThread());
                                        if (told != ReasonCode.ABANDONED) {
                                            assertDoesNotThrow(closed[0]::close);
                                        }
                                        throw new OffloadUnavailable(told, "over");
                                    }
                                }),
                        SwitchSettings.defaults().withUpgrade(UpgradePolicy.afterBytes(1)));
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = SwitchedSockets.socket(owner)) {
            closed[0] = client;
            client.connect(listener.getLocalSocketAddress());
            client.getOutputStream().write(1);
            Thread thread = asking.join();
            await().until(
                            () ->
                                    Stream.of(thread.getStackTrace())
                                            .noneMatch(f -> f.getClassName().contains("Upgrade")));
            assertEquals(Map.of(ReasonCode.YOUNG, 1L), owner.counters().report().reasons());
            assertEquals(0, owner.counters().report().kernelFallback());
        }
    }

    /** The peer's answer is a reason, too, before the connection proves to be slow. */
    @Test
    void aChannelHasOneReasonAtATime() throws IOException {
        long never = Long.MAX_VALUE;
        OffloadSwitch owner =
                owner(new UpgradePolicy(1, never, 0, 0, never, never), new UpgradeGate(() -> 0, 1));
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel client = SwitchChannels.provider(owner).openSocketChannel()) {
            assertTrue(client.connect(listener.getLocalSocketAddress()));
            assertEquals(1, client.write(ByteBuffer.allocate(1)));
            await().until(
                            () ->
                                    SwitchChannels.explain(client).orElseThrow().reason()
                                            == ReasonCode.NO_PEER);
            client.configureBlocking(false);
            assertEquals(1, client.write(ByteBuffer.allocate(1)));
            assertEquals(
                    ReasonCode.NOT_WORTH, SwitchChannels.explain(client).orElseThrow().reason());
            assertEquals(Map.of(ReasonCode.NOT_WORTH, 1L), owner.counters().report().reasons());
            assertEquals(1, owner.counters().report().kernelPolicy());
            assertEquals(0, owner.counters().report().kernelFallback());
        }
    }

    /** Its output ends on TCP, or has carried bytes that no limit counts. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aConnectionWhoseOutputCannotMoveDoesNotAsk(boolean urgent) throws IOException {
        OffloadSwitch owner = owner(UpgradePolicy.afterBytes(1), new UpgradeGate(() -> 0, 1));
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket client = SwitchedSockets.socket(owner)) {
            client.connect(listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                if (urgent) {
                    client.sendUrgentData(1);
                } else {
                    client.shutdownOutput();
                }
                server.getOutputStream().write(7);
                assertEquals(7, client.getInputStream().read());
            }
            assertEquals(Map.of(ReasonCode.NOT_WORTH, 1L), owner.counters().report().reasons());
            assertEquals(0, asked.get());
        }
    }

    private interface Use {
        void run(Socket client, Socket server, ExecutorService virtual) throws Exception;
    }

    private void byVirtualThreads(Use use) throws Exception {
        try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ExecutorService virtual = Executors.newVirtualThreadPerTaskExecutor();
                Socket client = SwitchedSockets.socket(owner(new UpgradeGate(() -> 0, 1)))) {
            client.connect(listener.getLocalSocketAddress());
            try (Socket server = listener.accept()) {
                use.run(client, server, virtual);
            }
        }
    }

    /** Sends as much as makes a connection worth moving; returns how often that was asked. */
    private int sendMuch(Socket client, Socket server) throws IOException {
        byte[] message = new byte[2 * UpgradePolicy.BULK_CALL_BYTES];
        for (long n = 0; n < UpgradePolicy.AUTO.bytes(); n += message.length) {
            client.getOutputStream().write(message);
            server.getInputStream().readNBytes(message.length);
        }
        return asked.get();
    }

    /** As many as make a connection worth moving. */
    private static boolean trip(Socket client, Socket server) throws IOException {
        for (int i = 0; i < UpgradePolicy.AUTO.turns(); i++) {
            client.getOutputStream().write(1);
            server.getInputStream().read();
            server.getOutputStream().write(2);
            client.getInputStream().read();
        }
        return true;
    }
}
