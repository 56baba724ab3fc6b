package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_CONNECT;
import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.testing.Pair;
import io.sdp4j.testing.Proc;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Resources that channels take and give back: descriptors, threads, memory, processor time. */
interface ResourcesContract extends NioChannels {
    @Test
    @DisplayName("53: the peer sees the end at once, descriptors go with the next selection")
    default void closedWhileRegistered() throws Exception {
        try (Selector selector = provider().openSelector()) {
            exercise(selector); // what is made once is made here
            long before = Proc.descriptors().size();
            for (int i = 0; i < 20; i++) {
                exercise(selector);
            }
            Nio.await().until(() -> Proc.descriptors().size() <= before);
        }
    }

    private void exercise(Selector selector) throws IOException {
        try (var p = polledPair()) {
            SelectionKey key = p.client().register(selector, OP_READ);
            selector.selectNow();
            p.client().close();
            assertFalse(key.isValid());
            assertEquals(-1, Nio.awaitRead(p.server(), ByteBuffer.allocate(16)));
            assertEquals(1, selector.keys().size());
            selector.selectNow();
            assertEquals(0, selector.keys().size());
        }
    }

    @Test
    @DisplayName(
            "61: connecting, failing and closing leave no descriptor, thread or mapping behind")
    default void nothingIsLeft() throws Exception {
        openAndClose(20);
        int times = Scale.of(300, 10_000);
        long descriptors = Proc.descriptors().size();
        long threads = ManagementFactory.getThreadMXBean().getThreadCount();
        long mappings = Proc.mappings("").size();
        openAndClose(times);
        Nio.await().until(() -> Proc.descriptors().size() <= descriptors);
        // threads of pools and the heap's and the compiler's mappings come and go; a leak is one
        // for each connection
        Nio.await()
                .until(() -> ManagementFactory.getThreadMXBean().getThreadCount() <= threads + 20);
        Nio.await().until(() -> Proc.mappings("").size() <= mappings + times / 3);
    }

    private void openAndClose(int times) throws IOException {
        for (int i = 0; i < times; i++) {
            try (var p = pair();
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

    /** Both ends of each are idle in one selector. */
    default int idleConnections() {
        return 500;
    }

    @Test
    @DisplayName("62: idle channels in a selector cost nothing, and do not hold others up")
    default void idleChannels() throws Exception {
        List<Pair<ServerSocketChannel, SocketChannel>> idle = new ArrayList<>();
        try (Selector selector = provider().openSelector();
                Pair<ServerSocketChannel, SocketChannel> busy = polledPair()) {
            for (int i = 0; i < idleConnections(); i++) {
                Pair<ServerSocketChannel, SocketChannel> p = polledPair();
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
            Task<Integer> selecting = Task.start(() -> selector.select(60_000));
            selecting.awaitBlocked();
            Expect.noProcessorTime();
            selector.wakeup();
            assertEquals(0, selecting.get());
        } finally {
            for (Pair<ServerSocketChannel, SocketChannel> p : idle) {
                p.close();
            }
        }
    }
}
