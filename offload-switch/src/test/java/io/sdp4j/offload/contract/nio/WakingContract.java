package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.offload.nio.SwitchChannels;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Events that end a selection that waits. */
interface WakingContract extends NioChannels {
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
        try (var p = polledPair();
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

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("50: wakeup before, during, twice")
    default void wakeups(Kind kind) throws Exception {
        try (var p = polledPair();
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
        try (var p = polledPair();
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
        try (var p = polledPair()) {
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
        try (var p = polledPair();
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

    /** Goal: several threads that register, send and wake never lose a wake-up. */
    @Test
    default void noLostWakeUps() throws Exception {
        int rounds = Scale.of(3_000, 200_000);
        try (var p = polledPair();
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
            assertAll(
                    () -> assertEquals(rounds, ping.getWithin(600)),
                    () -> assertEquals(rounds, echo.getWithin(600)));
        }
    }

    private int bounce(Selector selector, SocketChannel c, int rounds) throws IOException {
        ByteBuffer b = ByteBuffer.allocateDirect(8);
        int done = 0;
        int idle = 0;
        int early = 0;
        while (done < rounds) {
            int before = done;
            long start = System.nanoTime();
            if (selector.select(20_000) == 0) {
                long tookNanos = System.nanoTime() - start;
                int lostAfter = done;
                assertTrue(
                        tookNanos < TimeUnit.SECONDS.toNanos(20),
                        () -> "lost after " + lostAfter + ", and there was " + found(c));
                // a ring that was under way when its bytes were read comes late
                assertTrue(++early <= maxEarlyReturns(rounds), "woken for nothing " + early);
            }
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

    private static String found(SocketChannel c) {
        try {
            return c.read(ByteBuffer.allocate(8))
                    + " to read at "
                    + c.getLocalAddress()
                    + ", "
                    + SwitchChannels.explain(c);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private int maxEarlyReturns(int rounds) {
        return offloads() ? 2 + rounds / 1_000 : 0;
    }
}
