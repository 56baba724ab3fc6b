package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.aio.SwitchAsynchronousChannelProvider;
import io.sdp4j.offload.contract.aio.Outcome;
import io.sdp4j.offload.nio.SwitchChannels;
import io.sdp4j.offload.spi.OffloadProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a thread that waits for a channel by way of a selector, or of a group of asynchronous
 * channels, is told of events before, during and after a suspension of its session, and is not kept
 * busy by it. Method: a peer made by hand, as in {@link SuspendedSessionTest}; a select that finds
 * nothing for long is a lost wake-up.
 */
@Timeout(60)
final class SuspendedSessionSelectorTest {
    private TestFabric fabric;
    private HandMadePeer peer;
    private OffloadSwitch owner;
    private final AtomicReference<SdpStream> stream = new AtomicReference<>();

    @BeforeEach
    void open() throws IOException {
        fabric = new TestFabric().suspending().resumingWithin(TimeUnit.SECONDS.toNanos(40));
    }

    @AfterEach
    void shut() throws IOException {
        peer.close();
        fabric.close();
    }

    private InetSocketAddress listen() throws IOException {
        AtomicReference<Fabric> raw = new AtomicReference<>();
        OffloadProvider real =
                fabric.provider(
                        f -> {
                            raw.set(f);
                            return f;
                        });
        owner = TestChannels.owner(catching(real));
        peer = new HandMadePeer(raw.get());
        return peer.listen(peer.port());
    }

    /** Keeps the stream that it connects. */
    private OffloadProvider catching(OffloadProvider real) {
        return TestChannels.around(
                OffloadProvider.class,
                real,
                (_, result) -> {
                    if (result instanceof SdpStream connected) {
                        stream.set(connected);
                    }
                    return result;
                });
    }

    private SocketChannel connect() throws IOException {
        InetSocketAddress at = listen();
        SocketChannel channel = SwitchChannels.provider(owner).openSocketChannel();
        channel.connect(at);
        peer.accept();
        return channel;
    }

    private SelectorProvider provider() {
        return SwitchChannels.provider(owner);
    }

    private static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Until the session is suspended: {@code standing} is what the application does meanwhile. */
    private InetSocketAddress suspend(Runnable standing) throws IOException {
        InetSocketAddress next = peer.port();
        peer.askToSuspend(next.getPort());
        soon().until(
                        () -> {
                            standing.run();
                            return peer.suspended()
                                    && StreamPair.ask(stream.get(), c -> c.suspension.ever());
                        });
        return next;
    }

    private boolean suspended() {
        return stream.get().life().suspended();
    }

    private void resume(InetSocketAddress at) throws IOException {
        peer.listen(at);
        peer.accept();
        soon().until(() -> !suspended());
    }

    private static ConditionFactory soon() {
        return Awaitility.await()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(3))
                .atMost(Duration.ofMillis(TestChannels.PATIENCE_MS));
    }

    private static void expect(Selector selector, int ops) throws IOException {
        for (int n = 0; selector.selectedKeys().isEmpty(); n++) {
            assertTrue(n < 20, "it does not wait");
            TestChannels.look(selector, "asleep");
        }
        assertEquals(ops, selector.selectedKeys().iterator().next().readyOps());
        selector.selectedKeys().clear();
    }

    private static String read(SocketChannel channel) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(100);
        int n = channel.read(into);
        return n <= 0 ? "" + n : new String(into.array(), 0, n, StandardCharsets.ISO_8859_1);
    }

    /** The selector's own thread is the only one to look, sleeping all the time in between. */
    @Test
    void aSelectorFollows() throws Exception {
        try (SocketChannel channel = connect();
                Selector selector = provider().openSelector()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            AtomicReference<String> came = new AtomicReference<>("");
            CompletableFuture<Void> reader =
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    while (!came.get().endsWith(".")) {
                                        TestChannels.look(selector, "asleep");
                                        selector.selectedKeys().clear();
                                        String s = read(channel);
                                        came.accumulateAndGet(
                                                s.equals("0") ? "" : s, String::concat);
                                    }
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 5; i++) {
                peer.send(bytes("v" + i), false);
                InetSocketAddress next = suspend(() -> {});
                resume(next);
                peer.send(bytes("n" + i), false);
                all.append("v").append(i).append("n").append(i);
                soon().untilAsserted(() -> assertEquals(all.toString(), came.get()));
            }
            peer.send(bytes("."), false);
            reader.get(20, TimeUnit.SECONDS);
        }
    }

    /**
     * The thread that selects is busy elsewhere while others see the session suspended and resumed.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSelectorThatComesLate(boolean comesInBetween) throws Exception {
        try (SocketChannel channel = connect();
                Selector selector = provider().openSelector()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            for (int i = 0; i < 3; i++) {
                assertEquals(0, selector.selectNow());
                InetSocketAddress next = suspend(stream.get()::ready);
                if (comesInBetween) {
                    TestChannels.becomesIdle(selector);
                }
                resume(next);
                stream.get().life().onLook(); // gives back what was left
                peer.send(bytes("x" + i), false);
                expect(selector, SelectionKey.OP_READ);
                assertEquals("x" + i, read(channel));
                TestChannels.becomesIdle(selector);
            }
        }
    }

    /** A writer finds no room while the session is suspended, and is told when there is some. */
    @Test
    void aWriterIsTold() throws Exception {
        byte[] much = new byte[1 << 20];
        new Random(5).nextBytes(much);
        ByteBuffer from = ByteBuffer.wrap(much);
        try (SocketChannel channel = connect();
                Selector selector = provider().openSelector()) {
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_WRITE);
            InetSocketAddress next = suspend(stream.get()::ready);
            assertEquals(0, channel.write(from));
            TestChannels.becomesIdle(selector);
            resume(next);
            CompletableFuture<Void> writer =
                    CompletableFuture.runAsync(
                            () -> {
                                try {
                                    while (from.hasRemaining()) {
                                        TestChannels.look(selector, "asleep");
                                        selector.selectedKeys().clear();
                                        channel.write(from);
                                    }
                                } catch (IOException e) {
                                    throw new IllegalStateException(e);
                                }
                            });
            InetSocketAddress again = suspend(() -> {});
            resume(again);
            soon().until(() -> peer.received().length == much.length);
            writer.get(20, TimeUnit.SECONDS);
            assertArrayEquals(much, peer.received());
        }
    }

    /**
     * A channel that was in no selector while its first connection lasted can be in one afterwards.
     */
    @Test
    void aChannelThatIsRegisteredAfterwards() throws Exception {
        try (SocketChannel channel = connect();
                Selector selector = provider().openSelector()) {
            resume(suspend(stream.get()::ready));
            peer.send(bytes("a"), false);
            assertEquals("a", read(channel));
            stream.get().life().onLook(); // the first connection is gone
            assertEquals(-1, stream.get().notifyFd(), "and its descriptor has another owner");
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            TestChannels.becomesIdle(selector);
            peer.send(bytes("b"), false);
            expect(selector, SelectionKey.OP_READ);
            assertEquals("b", read(channel));
            TestChannels.becomesIdle(selector);
        }
    }

    @Test
    void aSessionThatIsLost() throws Exception {
        fabric.resumingWithin(TimeUnit.MILLISECONDS.toNanos(200));
        try (SocketChannel channel = connect();
                Selector selector = provider().openSelector()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            peer.send(bytes("last"), false);
            suspend(stream.get()::ready);
            expect(selector, SelectionKey.OP_READ);
            assertEquals("last", read(channel));
            expect(selector, SelectionKey.OP_READ);
            IOException e = assertThrows(IOException.class, () -> read(channel));
            assertEquals("Connection reset", e.getMessage());
            key.interestOps(SelectionKey.OP_WRITE);
            expect(selector, SelectionKey.OP_WRITE);
            assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1)));
        }
    }

    /** Keys and channels end in the middle of a suspension as at any other time. */
    @Test
    void cancelledAndClosedWhileSuspended() throws Exception {
        SocketChannel channel = connect();
        try (Selector selector = provider().openSelector();
                Selector other = provider().openSelector()) {
            channel.configureBlocking(false);
            SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
            assertEquals(0, selector.selectNow());
            InetSocketAddress next = suspend(stream.get()::ready);
            assertEquals(0, selector.selectNow());
            key.cancel();
            assertEquals(0, selector.selectNow());
            channel.configureBlocking(true);
            channel.configureBlocking(false);
            SelectionKey moved = channel.register(other, SelectionKey.OP_READ);
            TestChannels.becomesIdle(other);
            resume(next);
            peer.send(bytes("x"), false);
            expect(other, SelectionKey.OP_READ);
            assertEquals("x", read(channel));
            suspend(
                    () -> {
                        try {
                            other.selectNow();
                        } catch (IOException e) {
                            throw new IllegalStateException(e);
                        }
                    });
            channel.close();
            assertFalse(moved.isValid());
            TestChannels.becomesIdle(other);
            assertEquals(0, other.keys().size());
        }
    }

    /** Operations with handlers, which the group's threads look after, and futures. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void asynchronousOperations(boolean usedBefore) throws Exception {
        InetSocketAddress at = listen();
        try (AsynchronousSocketChannel channel =
                new SwitchAsynchronousChannelProvider(owner).openAsynchronousSocketChannel(null)) {
            var connecting = channel.connect(at);
            peer.accept();
            connecting.get(10, TimeUnit.SECONDS);
            for (int i = 0; i < 3; i++) {
                Outcome<Integer> read = new Outcome<>();
                ByteBuffer into = ByteBuffer.allocate(100);
                if (usedBefore || i > 0) {
                    channel.read(into, null, read);
                    resume(suspend(() -> {}));
                } else {
                    resume(suspend(stream.get()::ready));
                    peer.send(bytes("abc"), false);
                    assertEquals(3, channel.read(ByteBuffer.allocate(9)).get(10, TimeUnit.SECONDS));
                    stream.get().life().onLook();
                    channel.read(into, null, read);
                }
                assertFalse(read.done());
                peer.send(bytes("x" + i), false);
                assertEquals(2, read.get());
                assertEquals(2, channel.write(ByteBuffer.wrap(bytes("y" + i))).get());
            }
            soon().untilAsserted(
                            () ->
                                    assertEquals(
                                            "y0y1y2",
                                            new String(
                                                    peer.received(), StandardCharsets.ISO_8859_1)));
        }
    }
}
