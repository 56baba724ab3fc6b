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
import io.sdp4j.testing.FreePorts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
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

/** Readiness: operations, times, selectors. */
interface SelectingContract extends NioChannels {
    private static ByteBuffer room() {
        return ByteBuffer.allocate(16);
    }

    @Test
    @DisplayName("46: unread data keeps the key ready; a key that stays selected counts 0")
    default void levelTriggered() throws Exception {
        try (var p = polledPair();
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
        try (var p = polledPair();
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
        try (var p = polledPair();
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
    @DisplayName("89: end, reset and shutdown of either direction make keys ready")
    default void endsAreReady() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            p.server().shutdownOutput();
            Nio.awaitReady(selector, key, OP_READ);
            assertEquals(-1, p.client().read(room()));
            Nio.awaitReady(selector, key, OP_READ);
        }
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            p.server().setOption(StandardSocketOptions.SO_LINGER, 0).close();
            Nio.awaitReady(selector, key, OP_READ);
            assertThrows(IOException.class, () -> p.client().read(room()));
            key.interestOps(OP_WRITE);
            Nio.awaitReady(selector, key, OP_WRITE);
        }
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            assertEquals(0, selector.selectNow());
            p.client().shutdownInput();
            Nio.awaitReady(selector, key, OP_READ);
        }
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            Nio.fill(p.client());
            SelectionKey key = p.client().register(selector, OP_WRITE);
            assertEquals(0, selector.selectNow());
            p.server().setOption(StandardSocketOptions.SO_LINGER, 0).close();
            Nio.awaitReady(selector, key, OP_WRITE);
        }
    }

    @Test
    @DisplayName("89: a refused connect is ready for all that was asked")
    default void refusalIsReadyForAll() throws Exception {
        InetSocketAddress unused = new InetSocketAddress(LOOPBACK, FreePorts.one());
        try (Selector selector = provider().openSelector();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            assertFalse(c.connect(unused));
            SelectionKey key = c.register(selector, OP_CONNECT | OP_READ | OP_WRITE);
            Nio.awaitReady(selector, key, OP_CONNECT | OP_READ | OP_WRITE);
        }
    }

    /** Both kinds of selection with an action, and the rule against a selection inside. */
    @Test
    @DisplayName("52: select(Consumer), re-entrancy, and the selected set that cannot grow")
    default void consumers() throws Exception {
        try (var p = polledPair();
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

    @Test
    @DisplayName("54: a channel in two selectors is ready in both, each for what it asked")
    default void twoSelectors() throws Exception {
        try (var p = polledPair();
                Selector a = provider().openSelector();
                Selector b = provider().openSelector()) {
            SelectionKey inA = p.client().register(a, OP_READ);
            SelectionKey inB = p.client().register(b, OP_READ | OP_WRITE);
            Task<Integer> waiting = Task.start(() -> Nio.firstReady(a));
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
        try (var p = polledPair();
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
}
