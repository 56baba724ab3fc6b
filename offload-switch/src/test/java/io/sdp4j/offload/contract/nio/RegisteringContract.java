package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Keys: their interest, cancelled, moved, and with blocking mode between. */
interface RegisteringContract extends NioChannels {
    private static ByteBuffer room() {
        return ByteBuffer.allocate(16);
    }

    @Test
    default void interestChangesCount() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, 0);
            assertEquals(0, selector.selectNow());
            assertEquals(0, key.interestOps(OP_WRITE).interestOps() & OP_READ);
            Nio.awaitReady(selector, key, OP_WRITE);
            assertEquals(OP_WRITE, key.interestOpsOr(OP_READ));
            Nio.send(p.server(), "x");
            Nio.awaitReady(selector, key, OP_READ | OP_WRITE);
            assertEquals(OP_READ | OP_WRITE, key.interestOpsAnd(~OP_WRITE));
            assertEquals(OP_READ, Nio.readyNow(selector, key));
            key.interestOps(0);
            assertEquals(0, Nio.readyNow(selector, key));
            assertEquals(0, selector.selectNow());
            key.interestOps(OP_READ);
            assertEquals(OP_READ, Nio.readyNow(selector, key));
            assertThrows(IllegalArgumentException.class, () -> key.interestOps(OP_ACCEPT));
            assertSame(key, p.client().register(selector, OP_WRITE, "new"));
            assertEquals("new", key.attachment());
            assertEquals(OP_WRITE, Nio.readyNow(selector, key));
        }
    }

    @Test
    @DisplayName("41: interest changed under a selection counts from the next one")
    default void interestChangedDuringSelect() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            Task<Integer> waiting = Task.start(() -> selector.select(20_000));
            waiting.awaitBlocked();
            key.interestOps(OP_WRITE);
            waiting.awaitBlocked();
            selector.wakeup();
            waiting.get();
            Nio.awaitReady(selector, key, OP_WRITE);
        }
    }

    @Test
    @DisplayName("41: a registration under a selection returns at once and counts from the next")
    default void registeredDuringSelect() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            Task<Integer> waiting = Task.start(() -> selector.select(20_000));
            waiting.awaitBlocked();
            SelectionKey key = p.client().register(selector, OP_WRITE);
            waiting.awaitBlocked();
            selector.wakeup();
            waiting.get();
            Nio.awaitReady(selector, key, OP_WRITE);
        }
    }

    @Test
    @DisplayName("51: cancelled keys, registering again, keyFor, isRegistered, keys()")
    default void cancelled() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            SocketChannel c = p.client();
            assertNull(c.keyFor(selector));
            assertFalse(c.isRegistered());
            SelectionKey key = c.register(selector, OP_READ);
            assertTrue(c.isRegistered());
            assertEquals(1, selector.keys().size());
            assertThrows(IllegalBlockingModeException.class, () -> c.configureBlocking(true));
            key.cancel();
            key.cancel();
            assertFalse(key.isValid());
            assertThrows(CancelledKeyException.class, key::interestOps);
            assertThrows(CancelledKeyException.class, () -> key.interestOps(OP_READ));
            assertThrows(CancelledKeyException.class, key::readyOps);
            assertTrue(c.isRegistered());
            assertEquals(1, selector.keys().size());
            assertThrows(CancelledKeyException.class, () -> c.register(selector, OP_READ));
            c.configureBlocking(true);
            assertThrows(IllegalBlockingModeException.class, () -> c.register(selector, OP_READ));
            Nio.send(p.server(), "x");
            assertEquals("x", Nio.receive(c, 1));
            c.configureBlocking(false);
            assertEquals(0, selector.selectNow());
            assertFalse(c.isRegistered());
            assertNull(c.keyFor(selector));
            assertEquals(0, selector.keys().size());
            SelectionKey again = c.register(selector, OP_READ);
            Nio.send(p.server(), "y");
            Nio.awaitReady(selector, again, OP_READ);
            assertThrows(IllegalArgumentException.class, () -> c.register(selector, OP_ACCEPT));
            Selector closed = provider().openSelector();
            closed.close();
            assertThrows(ClosedSelectorException.class, () -> c.register(closed, OP_READ));
            c.close();
            assertThrows(ClosedChannelException.class, () -> c.register(selector, OP_READ));
        }
    }

    /** Goal: the steps of the JDK's HttpServer with every connection. */
    @Test
    @DisplayName("51: cancel, blocking mode at once, back, register again, many times")
    default void backAndForth() throws Exception {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            for (int i = 0; i < 100; i++) {
                SelectionKey key = p.client().register(selector, OP_READ);
                Nio.send(p.server(), "ab");
                assertEquals(1, selector.select(20_000));
                selector.selectedKeys().clear();
                key.cancel();
                p.client().configureBlocking(true);
                assertEquals("ab", Nio.receive(p.client(), 2));
                Nio.send(p.client(), "c");
                assertEquals("c", Nio.receive(p.server(), 1));
                selector.selectNow();
                p.client().configureBlocking(false);
            }
        }
    }

    /** Goal: configureBlocking waits for a read that blocks (behaviour 51). */
    @Test
    default void configureBlockingWaitsForABlockedRead() throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(() -> p.client().read(room()));
            reader.awaitBlocked();
            Task<Boolean> changer =
                    Task.start(() -> !p.client().configureBlocking(false).isBlocking());
            changer.awaitBlocked();
            assertTrue(p.client().isBlocking());
            Nio.send(p.server(), "x");
            assertEquals(1, reader.get());
            assertTrue(changer.get());
        }
    }

    /** Goal: register, interestOps and cancel from many threads under one selecting thread. */
    @Test
    default void concurrentRegistration() throws Exception {
        int each = Scale.of(40, 2_000);
        AtomicInteger finished = new AtomicInteger();
        try (ServerSocketChannel listener = listen(64);
                Selector selector = provider().openSelector()) {
            Task<Integer> loop =
                    Task.start(
                            () -> {
                                int served = 0;
                                while (finished.get() < 4) {
                                    selector.select(k -> serve(k), 1_000);
                                    served++;
                                }
                                return served;
                            });
            List<Task<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Kind kind = i % 2 == 0 ? Kind.PLATFORM : Kind.VIRTUAL;
                clients.add(Task.start(kind, () -> visit(listener, selector, each)));
            }
            for (Task<Integer> client : clients) {
                assertEquals(each, client.get());
                finished.incrementAndGet();
            }
            selector.wakeup();
            loop.get();
            for (SelectionKey left : selector.keys()) {
                left.channel().close();
            }
        }
    }

    private int visit(ServerSocketChannel listener, Selector selector, int times)
            throws IOException {
        int good = 0;
        for (int i = 0; i < times; i++) {
            SocketChannel s;
            try (SocketChannel c = open()) {
                synchronized (listener) {
                    c.connect(listener.getLocalAddress());
                    s = listener.accept();
                }
                s.configureBlocking(false);
                SelectionKey key = s.register(selector, 0);
                key.interestOps(OP_READ);
                selector.wakeup();
                Nio.send(c, "ping");
                good += Nio.receive(c, 4).equals("ping") ? 1 : 0;
                if (i % 3 == 0) {
                    key.cancel();
                    s.close();
                }
            }
        }
        return good;
    }

    private static void serve(SelectionKey key) {
        SocketChannel c = (SocketChannel) key.channel();
        ByteBuffer b = room();
        try {
            int n = c.read(b);
            if (n > 0) {
                c.write(b.flip());
            } else if (n < 0) {
                c.close();
            }
        } catch (IOException | CancelledKeyException closed) {
            key.cancel();
        }
    }
}
