package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is ready and when, and what wakes a selection. */
interface SelectingContract extends NioChannels {
    private static ByteBuffer room() {
        return ByteBuffer.allocate(16);
    }

    /** A thread that selects once, for as long as a test may take. */
    private static Task<Integer> selecting(Kind kind, Selector selector) throws Exception {
        Task<Integer> selection = Task.start(kind, () -> selector.select(20_000));
        selection.awaitBlocked();
        return selection;
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("60: data wakes a selection on either kind of thread")
    default void dataWakes(Kind kind) throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            for (int round = 0; round < 20; round++) {
                Task<Integer> selection = selecting(kind, selector);
                Nio.send(p.server(), "x");
                assertEquals(1, selection.get());
                assertEquals(Set.of(key), selector.selectedKeys());
                assertEquals(OP_READ, key.readyOps());
                assertEquals("x", Nio.receive(p.client(), 1));
                selector.selectedKeys().clear();
            }
        }
    }

    @Test
    @DisplayName("46: unread data keeps the key ready; a key that stays selected counts 0")
    default void levelTriggered() throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            Nio.send(p.server(), "ab");
            for (int i = 0; i < 5; i++) {
                assertEquals(1, selector.select(20_000));
                assertEquals(OP_READ, key.readyOps());
                selector.selectedKeys().clear();
            }
            assertEquals(1, selector.select(20_000));
            assertEquals(0, selector.selectNow());
            assertTrue(selector.selectedKeys().contains(key));
            selector.selectedKeys().clear();
            assertEquals("a", Nio.receive(p.client(), 1));
            assertEquals(1, selector.select(20_000));
            selector.selectedKeys().clear();
            assertEquals("b", Nio.receive(p.client(), 1));
            assertEquals(0, selector.selectNow());
        }
    }

    @Test
    @DisplayName("47: after draining the key is not ready, and nothing wakes for nothing")
    default void noSpuriousReturns() throws Exception {
        int rounds = 2_000;
        int spurious = 0;
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            p.client().register(selector, OP_READ);
            ByteBuffer in = room();
            for (int i = 0; i < rounds; i++) {
                Nio.send(p.server(), "x");
                while (selector.select(20_000) == 0) {
                    spurious++;
                }
                assertEquals(1, p.client().read(in.clear()));
                selector.selectedKeys().clear();
                assertEquals(0, selector.selectNow());
            }
            long start = System.nanoTime();
            assertEquals(0, selector.select(50));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(49));
        }
        assertTrue(spurious <= 1, spurious + " returns without a reason");
    }

    @Test
    @DisplayName("48: OP_WRITE appears with room and disappears without")
    default void writable() throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ | OP_WRITE);
            assertEquals(1, selector.select(20_000));
            assertEquals(OP_WRITE, key.readyOps());
            long filled = Nio.fill(p.client());
            assertEquals(0, Nio.readyNow(selector, key));
            Nio.send(p.server(), "x");
            Nio.awaitReady(selector, key, OP_READ);
            Task<Integer> drained =
                    Task.start(
                            () -> {
                                Nio.drain(p.server(), filled);
                                return 0;
                            });
            Nio.awaitReady(selector, key, OP_READ | OP_WRITE);
            drained.get();
        }
    }

    @Test
    @DisplayName("NIO-13: end, reset and shutdown of either direction make keys ready")
    default void endsAreReady() throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            p.server().shutdownOutput();
            Nio.awaitReady(selector, key, OP_READ);
            assertEquals(-1, p.client().read(room()));
            Nio.awaitReady(selector, key, OP_READ);
        }
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            p.server().setOption(StandardSocketOptions.SO_LINGER, 0).close();
            Nio.awaitReady(selector, key, OP_READ);
            assertThrows(IOException.class, () -> p.client().read(room()));
            key.interestOps(OP_WRITE);
            Nio.awaitReady(selector, key, OP_WRITE);
        }
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            p.client().shutdownInput();
            Nio.awaitReady(selector, key, OP_READ);
        }
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            Nio.fill(p.client());
            SelectionKey key = p.client().register(selector, OP_WRITE);
            assertEquals(0, selector.selectNow());
            p.server().setOption(StandardSocketOptions.SO_LINGER, 0).close();
            Nio.awaitReady(selector, key, OP_WRITE);
        }
    }

    @Test
    @DisplayName("NIO-13: a refused connect is ready for all that was asked")
    default void refusalIsReadyForAll() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocketChannel gone = listen(1)) {
            nobody = (InetSocketAddress) gone.getLocalAddress();
        }
        try (Selector selector = provider().openSelector();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            assertFalse(c.connect(nobody));
            SelectionKey key = c.register(selector, OP_CONNECT | OP_READ | OP_WRITE);
            Nio.awaitReady(selector, key, OP_CONNECT | OP_READ | OP_WRITE);
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("50: wakeup before, during, twice")
    default void wakeups(Kind kind) throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            p.client().register(selector, OP_READ);
            selector.wakeup();
            selector.wakeup();
            assertEquals(0, selector.select(20_000));
            Task<Integer> waiting = selecting(kind, selector);
            selector.wakeup();
            assertEquals(0, waiting.get());
            selector.wakeup();
            selector.selectNow();
            long start = System.nanoTime();
            assertEquals(0, selector.select(30));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(29));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("50: an interrupt wakes a selection, which stays open, and the flag stays set")
    default void interrupts(Kind kind) throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            p.client().register(selector, OP_READ);
            Task<Boolean> flag =
                    Task.start(
                            kind,
                            () -> {
                                assertEquals(0, selector.select());
                                return Thread.currentThread().isInterrupted();
                            });
            flag.awaitBlocked();
            flag.thread().interrupt();
            assertTrue(flag.get());
            assertTrue(selector.isOpen() && p.client().isOpen());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("50: close during a selection ends it with 0")
    default void selectorClosedDuringSelect(Kind kind) throws Exception {
        try (Pair p = polledPair()) {
            Selector selector = provider().openSelector();
            SelectionKey key = p.client().register(selector, OP_READ);
            Task<Integer> waiting = selecting(kind, selector);
            selector.close();
            assertEquals(0, waiting.get());
            assertFalse(selector.isOpen());
            assertFalse(key.isValid());
            assertThrows(ClosedSelectorException.class, selector::select);
            assertThrows(ClosedSelectorException.class, selector::selectNow);
            assertThrows(ClosedSelectorException.class, selector::keys);
            assertThrows(ClosedSelectorException.class, selector::selectedKeys);
            selector.wakeup();
            selector.close();
            assertFalse(p.client().isRegistered());
            p.client().configureBlocking(true);
            Nio.send(p.server(), "x");
            assertEquals("x", Nio.receive(p.client(), 1));
        }
    }

    @Test
    @DisplayName("50: closing a channel during a selection removes its key")
    default void channelClosedDuringSelect() throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            Task<Integer> waiting = selecting(Kind.PLATFORM, selector);
            p.client().close();
            assertFalse(key.isValid());
            assertEquals(-1, Nio.awaitRead(p.server(), room()));
            selector.wakeup();
            assertEquals(0, waiting.get());
            selector.selectNow();
            assertEquals(0, selector.keys().size());
        }
    }

    /** Both kinds of selection with an action, and the rule against a selection inside. */
    @Test
    @DisplayName("52: select(Consumer), re-entrancy, and the selected set that cannot grow")
    default void consumers() throws Exception {
        try (Pair p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ | OP_WRITE);
            List<Integer> seen = new ArrayList<>();
            assertEquals(1, selector.select(k -> seen.add(k.readyOps()), 20_000));
            assertEquals(List.of(OP_WRITE), seen);
            assertTrue(selector.selectedKeys().isEmpty());
            Nio.send(p.server(), "x");
            key.interestOps(OP_READ);
            assertEquals(1, selector.select(k -> seen.add(k.readyOps()), 20_000));
            assertEquals(1, selector.selectNow(k -> seen.add(k.readyOps())));
            assertEquals(List.of(OP_WRITE, OP_READ, OP_READ), seen);
            assertThrows(
                    IllegalStateException.class, () -> selector.selectNow(k -> nested(selector)));
            assertThrows(
                    UnsupportedOperationException.class, () -> selector.selectedKeys().add(key));
            assertThrows(UnsupportedOperationException.class, () -> selector.keys().clear());
        }
    }

    private static void nested(Selector selector) {
        try {
            selector.selectNow();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Whether a selector never returns early because a channel is ready in another one, for
     * something else.
     */
    default boolean exactInEverySelector() {
        return true;
    }

    /** Selects until something is ready; how often it returned without. */
    private static int firstReady(Selector selector) throws IOException {
        int early = 0;
        while (selector.select(20_000) == 0) {
            early++;
        }
        return early;
    }

    @Test
    @DisplayName("54: a channel in two selectors is ready in both, each for what it asked")
    default void twoSelectors() throws Exception {
        try (Pair p = polledPair();
                Selector a = provider().openSelector();
                Selector b = provider().openSelector()) {
            SelectionKey inA = p.client().register(a, OP_READ);
            SelectionKey inB = p.client().register(b, OP_READ | OP_WRITE);
            Task<Integer> waiting = Task.start(() -> firstReady(a));
            Nio.awaitReady(b, inB, OP_WRITE);
            assertFalse(waiting.done());
            Nio.send(p.server(), "x");
            assertTrue(waiting.get() == 0 || !exactInEverySelector());
            assertEquals(OP_READ, inA.readyOps());
            Nio.awaitReady(b, inB, OP_READ | OP_WRITE);
            assertEquals("x", Nio.receive(p.client(), 1));
            assertEquals(0, Nio.readyNow(a, inA));
            assertEquals(OP_WRITE, Nio.readyNow(b, inB));
            inA.cancel();
            a.selectNow();
            Nio.send(p.server(), "y");
            Nio.awaitReady(b, inB, OP_READ | OP_WRITE);
        }
    }

    /** The provider of the JVM, whichever it is, makes channels that join ours too. */
    @Test
    @DisplayName("49, 58: one selector over channels of every kind")
    default void everyKindInOneSelector() throws Exception {
        Path directory = Files.createTempDirectory("mixed");
        UnixDomainSocketAddress path = UnixDomainSocketAddress.of(directory.resolve("s"));
        SelectorProvider plain = SelectorProvider.provider();
        Pipe pipe = provider().openPipe();
        try (Pair p = polledPair();
                Selector selector = provider().openSelector();
                DatagramChannel datagram = provider().openDatagramChannel();
                DatagramChannel inet = provider().openDatagramChannel(StandardProtocolFamily.INET);
                ServerSocketChannel unix =
                        provider().openServerSocketChannel(StandardProtocolFamily.UNIX);
                ServerSocketChannel kernel = plain.openServerSocketChannel();
                SocketChannel kernelClient = plain.openSocketChannel();
                Pipe.SourceChannel source = pipe.source();
                Pipe.SinkChannel sink = pipe.sink()) {
            unix.bind(path).configureBlocking(false);
            kernel.bind(new InetSocketAddress(LOOPBACK, 0)).configureBlocking(false);
            datagram.bind(new InetSocketAddress(LOOPBACK, 0)).configureBlocking(false);
            source.configureBlocking(false);
            p.listener().configureBlocking(false);
            Set<SelectionKey> all = new HashSet<>();
            all.add(p.client().register(selector, OP_READ));
            all.add(p.listener().register(selector, OP_ACCEPT));
            all.add(datagram.register(selector, OP_READ));
            all.add(unix.register(selector, OP_ACCEPT));
            all.add(kernel.register(selector, OP_ACCEPT));
            all.add(source.register(selector, OP_READ));
            assertEquals(0, selector.selectNow());
            Nio.send(p.server(), "x");
            Nio.send(sink, "x");
            inet.send(ByteBuffer.allocate(1), datagram.getLocalAddress());
            kernelClient.connect(kernel.getLocalAddress());
            try (SocketChannel unixClient =
                            provider().openSocketChannel(StandardProtocolFamily.UNIX);
                    SocketChannel second = open()) {
                unixClient.connect(path);
                second.connect(p.listener().getLocalAddress());
                Nio.await()
                        .until(
                                () -> {
                                    selector.select(1000);
                                    return selector.selectedKeys().equals(all);
                                });
                p.listener().accept().close();
                unix.accept().close();
                kernel.accept().close();
                datagram.receive(room());
                assertEquals("x", Nio.receive(source, 1));
                assertEquals("x", Nio.receive(p.client(), 1));
            }
            selector.selectedKeys().clear();
            assertEquals(0, selector.selectNow());
        } finally {
            Files.deleteIfExists(path.getPath());
            Files.delete(directory);
        }
    }

    /** Goal: several threads that register, send and wake never lose a wake-up. */
    @Test
    default void noLostWakeUps() throws Exception {
        int rounds = Scale.of(3_000, 200_000);
        try (Pair p = polledPair();
                Selector a = provider().openSelector();
                Selector b = provider().openSelector()) {
            p.client().register(a, OP_READ);
            p.server().register(b, OP_READ);
            Task<Integer> echo = Task.start(() -> bounce(b, p.server(), rounds));
            Task<Integer> ping =
                    Task.start(
                            Kind.VIRTUAL,
                            () -> {
                                Nio.send(p.client(), "x");
                                return bounce(a, p.client(), rounds);
                            });
            // a busy machine may make all of it slow; each round by itself has its limit
            assertEquals(rounds, ping.getWithin(600));
            assertEquals(rounds, echo.getWithin(600));
        }
    }

    private static int bounce(Selector selector, SocketChannel c, int rounds) throws IOException {
        ByteBuffer b = ByteBuffer.allocateDirect(8);
        int done = 0;
        int idle = 0;
        while (done < rounds) {
            int before = done;
            assertTrue(selector.select(20_000) > 0, "lost after " + done);
            selector.selectedKeys().clear();
            while (done < rounds && c.read(b.clear()) > 0) {
                done++;
                Nio.send(c, b.flip());
            }
            idle = done == before ? idle + 1 : 0;
            assertTrue(idle < 1000, "woken for nothing after " + done);
        }
        return done;
    }
}
