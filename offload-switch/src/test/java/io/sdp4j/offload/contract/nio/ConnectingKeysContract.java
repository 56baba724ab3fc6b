package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static java.nio.channels.SelectionKey.OP_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Keys of a channel that connects: made before, meanwhile and afterwards. */
interface ConnectingKeysContract extends NioChannels {
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
            checkCarrier(c);
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
                checkCarrier(c);
                key.interestOps(OP_READ | OP_WRITE);
                Nio.awaitReady(selector, key, OP_WRITE);
                try (SocketChannel s = listener.accept()) {
                    Nio.send(s, "x");
                    Nio.awaitReady(selector, key, OP_READ | OP_WRITE);
                    assertEquals("x", Nio.receive(c, 1));
                    key.interestOps(OP_READ);
                    sleepsUntilThereIsData(selector, key, s);
                }
            }
        }
    }

    /** Neither woken for nothing, as by a socket that is left behind, nor deaf. */
    private static void sleepsUntilThereIsData(Selector selector, SelectionKey key, SocketChannel s)
            throws Exception {
        Nio.readyNow(selector, key);
        selector.selectedKeys().clear();
        long start = System.nanoTime();
        assertEquals(0, selector.select(50));
        assertTrue(System.nanoTime() - start >= TimeUnit.MILLISECONDS.toNanos(49));
        Task<Integer> selecting = Task.start(() -> selector.select(20_000));
        selecting.awaitBlocked();
        Nio.send(s, "y");
        assertEquals(1, selecting.get());
        assertEquals(OP_READ, key.readyOps());
        assertEquals("y", Nio.receive((SocketChannel) key.channel(), 1));
    }

    /** Goal: each selector that has looked before comes to see the connection. */
    @Test
    @DisplayName("41, 54: a channel that two selectors have looked at is connected")
    default void polledByTwoBeforeConnect() throws Exception {
        try (ServerSocketChannel listener = listen(4);
                Selector one = provider().openSelector();
                Selector two = provider().openSelector();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            List<SelectionKey> keys = new ArrayList<>();
            for (Selector selector : List.of(one, two)) {
                keys.add(c.register(selector, OP_CONNECT));
                assertEquals(1, selector.selectNow());
            }
            c.connect(listener.getLocalAddress());
            Nio.await().until(c::finishConnect);
            checkCarrier(c);
            try (SocketChannel s = listener.accept()) {
                keys.forEach(key -> key.interestOps(OP_READ));
                for (SelectionKey key : keys) {
                    sleepsUntilThereIsData(key.selector(), key, s);
                }
            }
        }
    }

    /** Goal: the socket that holds the port number does not keep the unconnected socket alive. */
    @Test
    @DisplayName("6, 41: a channel that was bound and looked at keeps its port")
    default void boundAndPolledBeforeConnect() throws Exception {
        try (ServerSocketChannel listener = listen(4);
                Selector selector = provider().openSelector();
                SocketChannel c = open()) {
            c.bind(new InetSocketAddress(LOOPBACK, 0));
            SocketAddress local = c.getLocalAddress();
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, OP_CONNECT);
            assertEquals(1, selector.selectNow());
            c.connect(listener.getLocalAddress());
            Nio.await().until(c::finishConnect);
            checkCarrier(c);
            assertEquals(local, c.getLocalAddress());
            assertFalse(c.getOption(StandardSocketOptions.SO_REUSEADDR));
            try (SocketChannel s = listener.accept();
                    ServerSocketChannel thief = provider().openServerSocketChannel()) {
                assertEquals(local, s.getRemoteAddress());
                assertThrows(BindException.class, () -> thief.bind(local));
                key.interestOps(OP_READ);
                sleepsUntilThereIsData(selector, key, s);
            }
        }
    }

    @Test
    @DisplayName("41, 47: a connect under way wakes no selector, and a close ends it")
    @SuppressWarnings("try") // closing early is the point
    default void pendingConnectIsQuiet() throws Exception {
        try (Nio.Deaf deaf = new Nio.Deaf();
                Selector selector = provider().openSelector();
                SocketChannel c = open()) {
            c.configureBlocking(false);
            SelectionKey key = c.register(selector, OP_CONNECT | OP_READ | OP_WRITE);
            assertEquals(1, selector.selectNow());
            selector.selectedKeys().clear();
            assertFalse(c.connect(deaf.address()));
            int returns = 0;
            long start = System.nanoTime();
            while (System.nanoTime() - start < TimeUnit.MILLISECONDS.toNanos(400)) {
                assertEquals(0, selector.select(100));
                returns++;
            }
            assertTrue(returns <= 8, "woken " + returns + " times in 400 ms");
            assertTrue(c.isConnectionPending() && key.isValid());
            c.close();
            assertEquals(0, selector.selectNow());
            assertEquals(0, selector.keys().size());
        }
    }
}
