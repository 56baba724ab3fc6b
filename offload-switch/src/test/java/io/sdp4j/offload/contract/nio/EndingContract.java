package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shutdown, close and interrupt. */
interface EndingContract extends NioChannels {
    private static ByteBuffer room() {
        return ByteBuffer.allocate(16);
    }

    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36: close ends a blocked read and a blocked write")
    default void closeWakes(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, () -> p.client().read(room()));
            Task<Void> writer = Nio.fillBlocking(kind, p.client());
            reader.awaitBlocked();
            p.client().close();
            Expect.is(AsynchronousCloseException.class, null, reader.thrown());
            // the call that blocked may return what it had written, the next one then throws
            assertInstanceOf(ClosedChannelException.class, writer.thrown());
            assertThrows(ClosedChannelException.class, () -> p.client().read(room()));
        }
    }

    /** Runs {@code call} until it blocks, interrupts it, and checks what it then sees. */
    private static void interrupted(Kind kind, Callable<?> call) throws Exception {
        Task<Boolean> flag =
                Task.start(
                        kind,
                        () -> {
                            assertThrows(ClosedByInterruptException.class, call::call);
                            return Thread.currentThread().isInterrupted();
                        });
        flag.awaitBlocked();
        flag.thread().interrupt();
        assertTrue(flag.get());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36: an interrupt ends a blocked read, closes, and keeps the flag")
    default void interruptWakesRead(Kind kind) throws Exception {
        try (var p = pair()) {
            interrupted(kind, () -> p.client().read(room()));
            assertFalse(p.client().isOpen());
            assertEquals(-1, p.server().read(room()));
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("36: an interrupt ends a blocked write, and a reader beside it")
    default void interruptWakesWrite(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, () -> p.client().read(room()));
            reader.awaitBlocked();
            interrupted(
                    kind,
                    () -> {
                        ByteBuffer chunk = ByteBuffer.allocateDirect(64 * 1024);
                        while (true) {
                            p.client().write(chunk.clear());
                        }
                    });
            Expect.is(AsynchronousCloseException.class, null, reader.thrown());
            assertFalse(p.client().isOpen());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("37: a blocking read or write of an interrupted thread throws, data or not")
    default void interruptedBefore(Kind kind) throws Exception {
        try (var p = pair()) {
            Nio.send(p.server(), "there");
            Nio.await().until(() -> p.client().socket().getInputStream().available() == 5);
            assertTrue(alreadyInterrupted(kind, () -> p.client().read(room())));
            assertFalse(p.client().isOpen());
            assertTrue(alreadyInterrupted(kind, () -> p.server().write(one())));
            assertFalse(p.server().isOpen());
        }
    }

    private static boolean alreadyInterrupted(Kind kind, Callable<?> call) throws Exception {
        return Task.start(
                        kind,
                        () -> {
                            Thread.currentThread().interrupt();
                            assertThrows(ClosedByInterruptException.class, call::call);
                            return Thread.currentThread().isInterrupted();
                        })
                .get();
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("37: without blocking an interrupt means nothing")
    default void interruptedAndNonBlocking(Kind kind) throws Exception {
        try (var p = polledPair()) {
            Nio.send(p.server(), "there");
            Nio.await().until(() -> p.client().socket().getInputStream().available() == 5);
            assertEquals(
                    5,
                    Task.start(
                                    kind,
                                    () -> {
                                        Thread.currentThread().interrupt();
                                        assertEquals(1, p.client().write(one()));
                                        return p.client().read(room());
                                    })
                            .get());
            assertTrue(p.client().isOpen());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("38: shutdownInput gives a blocked reader -1")
    default void shutdownInputWakesRead(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, () -> p.client().read(room()));
            reader.awaitBlocked();
            assertSame(p.client(), p.client().shutdownInput());
            assertEquals(-1, reader.get());
            assertEquals(-1, p.client().read(room()));
            assertEquals(-1, p.client().read(ByteBuffer.allocate(0)));
            Nio.send(p.client(), "still");
            assertEquals("still", Nio.receive(p.server(), 5));
            assertTrue(p.client().isOpen());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("38: shutdownOutput gives a blocked writer AsynchronousCloseException")
    default void shutdownOutputWakesWrite(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Void> writer = Nio.fillBlocking(kind, p.client());
            assertSame(p.client(), p.client().shutdownOutput());
            Expect.is(AsynchronousCloseException.class, null, writer.thrown());
            assertTrue(p.client().isOpen());
        }
    }

    @Test
    @DisplayName("38: after shutdownOutput any write is an AsynchronousCloseException")
    default void writesAfterShutdownOutput() throws Exception {
        for (boolean blocking : new boolean[] {true, false}) {
            try (var p = pair()) {
                p.client().configureBlocking(blocking);
                p.client().shutdownOutput();
                p.client().shutdownOutput();
                Class<? extends Throwable> type = AsynchronousCloseException.class;
                assertSame(type, thrown(() -> p.client().write(one())));
                assertSame(type, thrown(() -> p.client().write(new ByteBuffer[] {one()})));
                assertTrue(p.client().isOpen());
                assertEquals(-1, p.server().read(room()));
            }
        }
    }

    @Test
    @DisplayName("38: after shutdownOutput a stream's write is a ClosedChannelException")
    default void streamAfterShutdownOutput() throws Exception {
        try (var p = pair()) {
            OutputStream out = p.client().socket().getOutputStream();
            p.client().shutdownOutput();
            Expect.thrown(ClosedChannelException.class, null, () -> out.write(1));
            assertTrue(p.client().isOpen());
            assertEquals(-1, p.server().read(room()));
        }
    }

    private static Class<?> thrown(Callable<?> call) {
        return assertThrows(Throwable.class, call::call).getClass();
    }

    @Test
    @DisplayName("12: the other direction goes on after a half close")
    default void halfClose() throws Exception {
        try (var p = polledPair()) {
            Nio.send(p.client(), "last");
            p.client().shutdownOutput();
            assertEquals("last", Nio.receiveAll(p.server()));
            Nio.send(p.server(), "still");
            Nio.send(p.server(), " here");
            p.server().shutdownOutput();
            assertEquals("still here", Nio.receiveAll(p.client()));
            p.server().shutdownInput();
            assertTrue(p.client().isConnected() && p.server().isConnected());
        }
    }

    @Test
    default void shutdownInputWithUnreadData() throws Exception {
        try (var p = polledPair()) {
            Nio.send(p.server(), "unread");
            Nio.await().until(() -> p.client().socket().getInputStream().available() == 6);
            p.client().shutdownInput();
            p.client().shutdownInput();
            assertEquals(-1, p.client().read(room()));
            Nio.send(p.server(), "more");
            assertEquals(-1, p.client().read(room()));
            Nio.send(p.client(), "back");
            assertEquals("back", Nio.receive(p.server(), 4));
        }
    }

    @Test
    default void everythingAfterClose() throws Exception {
        try (var p = pair()) {
            SocketChannel c = p.client();
            c.close();
            c.close();
            assertFalse(c.isOpen());
            assertThrows(ClosedChannelException.class, () -> c.read(room()));
            assertThrows(ClosedChannelException.class, () -> c.read(ByteBuffer.allocate(0)));
            assertThrows(ClosedChannelException.class, () -> c.write(one()));
            assertThrows(ClosedChannelException.class, () -> c.write(ByteBuffer.allocate(0)));
            assertThrows(ClosedChannelException.class, () -> c.write(new ByteBuffer[] {one()}));
            assertThrows(ClosedChannelException.class, c::shutdownInput);
            assertThrows(ClosedChannelException.class, c::shutdownOutput);
            assertThrows(ClosedChannelException.class, c::finishConnect);
            assertThrows(ClosedChannelException.class, () -> c.configureBlocking(false));
            assertThrows(ClosedChannelException.class, () -> c.bind(null));
            assertThrows(
                    ClosedChannelException.class, () -> c.connect(p.listener().getLocalAddress()));
        }
    }

    /** Goal: bytes written before a close arrive, then the end of stream. */
    @Test
    default void dataBeforeCloseArrives() throws Exception {
        try (var p = polledPair()) {
            Nio.send(p.client(), "all of it");
            p.client().close();
            assertEquals("all of it", Nio.receiveAll(p.server()));
            assertEquals(-1, p.server().read(room()));
        }
    }

    /**
     * Goal: even bytes that filled every buffer arrive, though no thread uses the channel any more.
     */
    @Test
    default void fullBuffersBeforeCloseArrive() throws Exception {
        try (var p = polledPair()) {
            long filled = Nio.fill(p.client());
            p.client().close();
            Nio.drain(p.server(), filled);
            assertEquals(-1, Nio.awaitRead(p.server(), room()));
        }
    }

    @Test
    @DisplayName("16: the first write to a peer that closed vanishes, a later one fails")
    default void writesToAPeerThatClosed() throws Exception {
        for (boolean blocking : new boolean[] {true, false}) {
            try (var p = pair()) {
                p.client().configureBlocking(blocking);
                p.server().close();
                assertEquals(-1, Nio.awaitRead(p.client(), room()));
                assertEquals(1, p.client().write(one()));
                Expect.is(
                        IOException.class,
                        "Broken pipe",
                        Nio.awaitThrown(() -> p.client().write(one())));
                Expect.thrown(IOException.class, "Broken pipe", () -> p.client().write(one()));
                assertEquals(-1, p.client().read(room()));
                assertTrue(p.client().isOpen());
            }
        }
    }

    /** Goal: closes from all sides at once end, and say nothing worse than "closed". */
    @Test
    default void closesAtOnce() throws Exception {
        for (int round = 0; round < 30; round++) {
            try (var p = pair()) {
                Task<Integer> reader = Task.start(Kind.VIRTUAL, () -> p.client().read(room()));
                Task<Void> a = Task.start(() -> closed(p.client()));
                Task<Void> b = Task.start(Kind.VIRTUAL, () -> closed(p.client()));
                Task<Void> c = Task.start(() -> closed(p.server()));
                a.get();
                b.get();
                c.get();
                try {
                    assertEquals(-1, reader.get());
                } catch (ClosedChannelException | SocketException fine) {
                    // reset by a close that found it unread
                }
                assertTrue(p.listener().isOpen());
            }
        }
    }

    private static Void closed(SocketChannel c) throws IOException {
        c.close();
        return null;
    }
}
