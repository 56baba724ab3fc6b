package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_ACCEPT;
import static java.nio.channels.SelectionKey.OP_CONNECT;
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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys: before and after connecting, cancelled, moved, and with blocking mode between. */
interface RegisteringContract extends NioChannels {
    private static ByteBuffer room() {
        return ByteBuffer.allocate(16);
    }

    /** When a channel that is about to connect meets its selector. */
    enum Moment {
        BEFORE_CONNECT,
        BEFORE_WITHOUT_INTEREST,
        AFTER_CONNECT,
        WHILE_SELECTING
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    @DisplayName("41, 42: a key made at any moment becomes connectable once and stays valid")
    default void registeredAround(Moment moment) throws Exception {
        try (ServerSocketChannel listener = listen(4);
                Selector selector = provider().openSelector();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            Task<Integer> selecting = null;
            SelectionKey key = null;
            if (moment == Moment.BEFORE_CONNECT) {
                key = c.register(selector, OP_CONNECT, "attached");
                selector.selectNow();
                selector.selectedKeys().clear();
            } else if (moment == Moment.BEFORE_WITHOUT_INTEREST) {
                key = c.register(selector, 0, "attached");
                assertEquals(0, selector.selectNow());
            } else if (moment == Moment.WHILE_SELECTING) {
                selecting = Task.start(() -> selector.select(20_000));
                selecting.awaitBlocked();
                key = c.register(selector, OP_CONNECT, "attached");
            }
            c.connect(listener.getLocalAddress());
            if (moment == Moment.BEFORE_WITHOUT_INTEREST) {
                key.interestOps(OP_CONNECT);
            } else if (moment == Moment.AFTER_CONNECT) {
                key = c.register(selector, OP_CONNECT, "attached");
            } else if (selecting != null) {
                selector.wakeup();
                selecting.get();
            }
            SelectionKey k = key;
            if (c.isConnectionPending()) {
                Nio.await().until(() -> connectable(selector, k));
                assertTrue(c.finishConnect());
            }
            assertTrue(k.isValid());
            assertEquals("attached", k.attachment());
            assertSame(k, c.keyFor(selector));
            k.interestOps(OP_READ | OP_WRITE);
            Nio.awaitReady(selector, k, OP_WRITE);
            try (SocketChannel s = listener.accept()) {
                Nio.send(s, "x");
                Nio.awaitReady(selector, k, OP_READ | OP_WRITE);
                assertEquals("x", Nio.receive(c, 1));
                k.interestOps(OP_READ);
                assertEquals(0, Nio.readyNow(selector, k));
                s.shutdownOutput();
                Nio.awaitReady(selector, k, OP_READ);
            }
        }
    }

    /** An unconnected channel may be ready for anything; a connection is there or is not. */
    private static boolean connectable(Selector selector, SelectionKey key) throws IOException {
        selector.selectedKeys().clear();
        selector.select(100);
        return key.isConnectable() && ((SocketChannel) key.channel()).finishConnect();
    }

    @Test
    @DisplayName("41: an unconnected channel in a selector may be connected later")
    default void polledBeforeConnect() throws Exception {
        for (int ops : new int[] {OP_READ, OP_WRITE, OP_CONNECT, OP_CONNECT | OP_READ | OP_WRITE}) {
            try (ServerSocketChannel listener = listen(4);
                    Selector selector = provider().openSelector();
                    SocketChannel c = open()) {
                c.configureBlocking(false);
                SelectionKey key = c.register(selector, ops);
                assertEquals(1, selector.selectNow());
                assertEquals(ops, key.readyOps());
                selector.selectedKeys().clear();
                c.connect(listener.getLocalAddress());
                Nio.await().until(c::finishConnect);
                key.interestOps(OP_READ | OP_WRITE);
                Nio.awaitReady(selector, key, OP_WRITE);
                try (SocketChannel s = listener.accept()) {
                    Nio.send(s, "x");
                    Nio.awaitReady(selector, key, OP_READ | OP_WRITE);
                }
            }
        }
    }

    @Test
    default void interestChangesCount() throws Exception {
        try (Pair p = polledPair();
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
    @DisplayName("2.3: interest changed under a selection counts from the next one")
    default void interestChangedDuringSelect() throws Exception {
        try (Pair p = polledPair();
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
    @DisplayName("2.3: a registration under a selection returns at once and counts from the next")
    default void registeredDuringSelect() throws Exception {
        try (Pair p = polledPair();
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
        try (Pair p = polledPair();
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

    /** Goal: what the JDK's HttpServer does with every connection. */
    @Test
    @DisplayName("51: cancel, blocking mode at once, back, register again, many times")
    default void backAndForth() throws Exception {
        try (Pair p = polledPair();
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

    @Test
    @DisplayName("53: the peer sees the end at once, descriptors go with the next selection")
    default void closedWhileRegistered() throws Exception {
        try (Selector selector = provider().openSelector()) {
            exercise(selector); // what is made once is made here
            long before = Nio.descriptors();
            for (int i = 0; i < 20; i++) {
                exercise(selector);
            }
            Nio.await().until(() -> Nio.descriptors() <= before);
        }
    }

    private void exercise(Selector selector) throws IOException {
        try (Pair p = polledPair()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            selector.selectNow();
            p.client().close();
            assertFalse(key.isValid());
            assertEquals(-1, Nio.awaitRead(p.server(), room()));
            assertEquals(1, selector.keys().size());
            selector.selectNow();
            assertEquals(0, selector.keys().size());
        }
    }

    @Test
    @DisplayName("61: neither connecting, nor failing, nor closing leaves a descriptor behind")
    default void nothingIsLeft() throws Exception {
        openAndClose(20);
        long before = Nio.descriptors();
        openAndClose(Scale.of(300, 10_000));
        Nio.await().until(() -> Nio.descriptors() <= before);
    }

    private void openAndClose(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            try (Pair p = pair();
                    Selector selector = provider().openSelector();
                    SocketChannel never = open()) {
                p.client().configureBlocking(false).register(selector, OP_READ);
                never.configureBlocking(false);
                never.register(selector, OP_CONNECT);
                Nio.send(p.client(), "x");
                p.listener().close();
                try {
                    never.connect(p.server().getLocalAddress());
                } catch (IOException refusedAtOnce) {
                    continue;
                }
                if (i % 2 == 0) {
                    selector.select(1000);
                }
            }
        }
    }

    /** Goal: configureBlocking waits for a read that blocks (NIO-8). */
    @Test
    default void configureBlockingWaitsForABlockedRead() throws Exception {
        try (Pair p = pair()) {
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

    @Test
    @DisplayName("62: idle channels in a selector cost nothing, and do not hold others up")
    default void idleChannels() throws Exception {
        List<Pair> idle = new ArrayList<>();
        try (Selector selector = provider().openSelector();
                Pair busy = polledPair()) {
            for (int i = 0; i < 200; i++) {
                Pair p = polledPair();
                idle.add(p);
                p.listener().close();
                p.client().register(selector, OP_READ);
                p.server().register(selector, OP_READ);
            }
            busy.client().register(selector, OP_READ);
            for (int i = 0; i < 200; i++) {
                Nio.send(busy.server(), "x");
                assertEquals(1, selector.select(20_000));
                selector.selectedKeys().clear();
                assertEquals("x", Nio.receive(busy.client(), 1));
            }
            long start = System.nanoTime();
            assertEquals(0, selector.select(100));
            assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(99));
        } finally {
            for (Pair p : idle) {
                p.close();
            }
        }
    }
}
