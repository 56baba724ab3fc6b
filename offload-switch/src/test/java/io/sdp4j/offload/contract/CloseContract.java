package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task.Kind;
import io.sdp4j.offload.contract.nio.Nio;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends of all kinds: behaviours 10 to 19. */
interface CloseContract extends Sockets {
    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("10: close ends a blocked read")
    default void closeWakesRead(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, p.client().getInputStream()::read);
            Task<Integer> second = Task.start(kind, p.client().getInputStream()::read);
            reader.awaitBlocked();
            second.awaitBlocked();
            p.client().close();
            Expect.is(SocketException.class, "Socket closed", reader.thrown());
            Expect.is(SocketException.class, "Socket closed", second.thrown());
            assertEquals(-1, p.server().getInputStream().read());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void closeWakesTimedRead(Kind kind) throws Exception {
        try (var p = pair()) {
            p.client().setSoTimeout(60_000);
            Task<Integer> reader = Task.start(kind, p.client().getInputStream()::read);
            reader.awaitBlocked();
            p.client().close();
            Expect.is(SocketException.class, "Socket closed", reader.thrown());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("10: close ends a blocked write")
    default void closeWakesWrite(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Void> writer = Expect.fill(kind, p.client());
            p.client().close();
            Expect.is(SocketException.class, "Socket closed", writer.thrown());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("11: shutdownInput gives a blocked reader -1")
    default void shutdownInputWakesRead(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, p.client().getInputStream()::read);
            reader.awaitBlocked();
            p.client().shutdownInput();
            assertEquals(-1, reader.get());
            assertTrue(p.client().isInputShutdown());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void shutdownOutputWakesWrite(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Void> writer = Expect.fill(kind, p.client());
            p.client().shutdownOutput();
            Expect.is(SocketException.class, "Broken pipe", writer.thrown());
        }
    }

    @Test
    @DisplayName("12: each direction ends by itself")
    default void halfClose() throws IOException {
        try (var p = pair()) {
            Expect.send(p.client(), "last");
            p.client().shutdownOutput();
            assertEquals("last", Expect.text(p.server().getInputStream().readAllBytes()));
            Expect.send(p.server(), "still");
            Expect.send(p.server(), " here");
            p.server().shutdownOutput();
            assertEquals("still here", Expect.text(p.client().getInputStream().readAllBytes()));
        }
    }

    @Test
    @DisplayName("12, 13: answers of the second shutdown and of later writes")
    default void repeatedShutdowns() throws IOException {
        try (var p = pair()) {
            OutputStream out = p.client().getOutputStream();
            p.client().shutdownOutput();
            assertTrue(p.client().isOutputShutdown());
            Expect.thrown(
                    SocketException.class,
                    "Socket output is already shutdown",
                    p.client()::shutdownOutput);
            Expect.thrown(
                    SocketException.class,
                    "Socket output is shutdown",
                    p.client()::getOutputStream);
            Expect.thrown(SocketException.class, "Broken pipe", () -> out.write(1));
            Expect.thrown(SocketException.class, "Broken pipe", () -> out.write(1));
            p.client().shutdownInput();
            Expect.thrown(
                    SocketException.class,
                    "Socket input is already shutdown",
                    p.client()::shutdownInput);
            Expect.thrown(
                    SocketException.class, "Socket input is shutdown", p.client()::getInputStream);
        }
    }

    @Test
    default void shutdownInputWithUnreadData() throws IOException {
        try (var p = pair()) {
            InputStream in = p.client().getInputStream();
            Expect.send(p.server(), "unread");
            Awaitility.await().until(() -> in.available() == 6);
            p.client().shutdownInput();
            assertEquals(-1, in.read());
            assertEquals(0, in.available());
            Expect.send(p.server(), "more");
            Expect.send(p.client(), "back");
            assertEquals("back", Expect.receive(p.server(), 4));
            assertEquals(-1, in.read());
        }
    }

    @Test
    @DisplayName("14: the end of the stream stays, also after close")
    default void endOfStreamStays() throws IOException {
        try (var p = pair()) {
            InputStream in = p.client().getInputStream();
            p.server().close();
            assertEquals(-1, in.read());
            assertEquals(-1, in.read());
            assertEquals(0, in.available());
            p.client().close();
            assertEquals(-1, in.read());
            Expect.thrown(SocketException.class, "Socket closed", in::available);
        }
    }

    @Test
    @DisplayName("15: a closed socket that saw no end says so")
    default void closedWithoutEndOfStream() throws IOException {
        try (var p = pair()) {
            InputStream in = p.client().getInputStream();
            OutputStream out = p.client().getOutputStream();
            p.client().close();
            p.client().close();
            assertTrue(p.client().isClosed());
            Expect.thrown(SocketException.class, "Socket closed", in::read);
            Expect.thrown(SocketException.class, "Socket closed", () -> out.write(1));
            Expect.thrown(SocketException.class, "Socket closed", in::available);
            out.write(new byte[0]);
            assertEquals(0, in.read(new byte[0]));
            Expect.thrown(SocketException.class, "Socket is closed", p.client()::getInputStream);
            Expect.thrown(SocketException.class, "Socket is closed", p.client()::getOutputStream);
            Expect.thrown(SocketException.class, "Socket is closed", p.client()::shutdownInput);
            Expect.thrown(SocketException.class, "Socket is closed", p.client()::shutdownOutput);
        }
    }

    @Test
    default void closingAStreamClosesTheSocket() throws IOException {
        try (var p = pair()) {
            p.client().getInputStream().close();
            assertTrue(p.client().isClosed());
            assertEquals(-1, p.server().getInputStream().read());
            p.server().getOutputStream().close();
            assertTrue(p.server().isClosed());
        }
    }

    /** Goal: bytes written before a close arrive, then the end of stream. */
    @Test
    default void dataBeforeCloseArrives() throws IOException {
        try (var p = pair()) {
            Expect.send(p.client(), "all of it");
            p.client().close();
            assertEquals("all of it", Expect.text(p.server().getInputStream().readAllBytes()));
        }
    }

    /** Goal: the first write to a peer that closed vanishes, the next fails (behaviour 16). */
    @Test
    @DisplayName("16: the first write to a peer that closed vanishes")
    default void writesToAPeerThatClosed() throws IOException {
        try (var p = pair()) {
            p.server().close();
            assertEquals(-1, p.client().getInputStream().read());
            Expect.send(p.client(), "vanishes");
            awaitWriteFails(p.client(), "Broken pipe");
            Expect.thrown(
                    SocketException.class,
                    "Broken pipe",
                    () -> p.client().getOutputStream().write(1));
            assertEquals(-1, p.client().getInputStream().read());
        }
    }

    /** A peer's end takes a moment to arrive. */
    private static void awaitWriteFails(Socket s, String message) {
        Throwable failure = Nio.awaitThrown(() -> s.getOutputStream().write(1));
        Expect.is(SocketException.class, message, failure);
    }

    @Test
    @DisplayName("17: reset, read first")
    default void resetReadFirst() throws IOException {
        try (var p = pair()) {
            Expect.send(p.server(), "queued");
            p.server().setSoLinger(true, 0);
            p.server().close();
            InputStream in = p.client().getInputStream();
            assertEquals("queued", Expect.receive(p.client(), 6));
            Expect.thrown(SocketException.class, "Connection reset", in::read);
            Expect.thrown(SocketException.class, "Connection reset", in::read);
            Expect.thrown(
                    SocketException.class,
                    "Broken pipe",
                    () -> p.client().getOutputStream().write(1));
            Expect.thrown(SocketException.class, "Connection reset", in::read);
            p.client().close();
            Expect.thrown(SocketException.class, "Socket closed", in::read);
        }
    }

    @Test
    @DisplayName("17: reset, write first")
    default void resetWriteFirst() throws IOException {
        try (var p = pair()) {
            Expect.send(p.server(), "queued");
            p.server().setSoLinger(true, 0);
            p.server().close();
            awaitWriteFails(p.client(), "Connection reset by peer");
            assertEquals("queued", Expect.text(p.client().getInputStream().readAllBytes()));
            Expect.thrown(
                    SocketException.class,
                    "Broken pipe",
                    () -> p.client().getOutputStream().write(1));
            assertEquals(-1, p.client().getInputStream().read());
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    default void resetWakesReadAndWrite(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, p.client().getInputStream()::read);
            reader.awaitBlocked();
            p.server().setSoLinger(true, 0);
            p.server().close();
            Expect.is(SocketException.class, "Connection reset", reader.thrown());
        }
        try (var p = pair()) {
            Task<Void> writer = Expect.fill(kind, p.client());
            p.server().setSoLinger(true, 0);
            p.server().close();
            Expect.is(SocketException.class, "Connection reset by peer", writer.thrown());
        }
    }

    @Test
    @DisplayName("18: close with unread data")
    default void closeWithUnreadData() throws IOException {
        try (var p = pair()) {
            Expect.send(p.server(), "for the client");
            Expect.send(p.client(), "never read");
            Awaitility.await().until(() -> p.server().getInputStream().available() == 10);
            p.server().close();
            assertEquals("for the client", Expect.text(p.client().getInputStream().readAllBytes()));
            awaitWriteFails(p.client(), "Broken pipe");
            assertEquals(-1, p.client().getInputStream().read());
        }
    }

    /** Goal: linger waits for a peer that does not read, and not longer than told. */
    @Test
    @DisplayName("19: close waits no longer than SO_LINGER")
    default void lingerIsBounded() throws Exception {
        try (var p = pair()) {
            Task<Void> writer = Expect.fill(Kind.VIRTUAL, p.client());
            p.client().setSoLinger(true, 1);
            // Ends the writer, so that the close is ours alone.
            p.client().shutdownOutput();
            Expect.is(SocketException.class, "Broken pipe", writer.thrown());
            long start = System.nanoTime();
            p.client().close();
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(millis >= 900 || !keepsUnsent(), "lingered " + millis + " ms");
            assertTrue(millis < 3000, "lingered " + millis + " ms");
            // Bytes not read in time still arrive: Linux goes on in the background.
            assertTrue(p.server().getInputStream().readAllBytes().length > 32 * 1024);
        }
    }

    @Test
    default void lingerEndsWhenThePeerHasRead() throws Exception {
        try (var p = pair()) {
            Expect.send(p.client(), "quick");
            p.client().setSoLinger(true, 30);
            assertEquals(30, p.client().getSoLinger());
            Task<byte[]> reader = Task.start(() -> p.server().getInputStream().readAllBytes());
            long start = System.nanoTime();
            p.client().close();
            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            assertTrue(millis < 5000, "lingered " + millis + " ms");
            assertEquals("quick", Expect.text(reader.get()));
        }
    }

    /** Goal: closes from all sides at once end, and say nothing worse than "closed". */
    @Test
    default void closesAtOnce() throws Exception {
        for (int round = 0; round < 30; round++) {
            try (var p = pair()) {
                Task<Integer> reader = Task.start(Kind.VIRTUAL, p.client().getInputStream()::read);
                Task<Void> a = Task.start(() -> closed(p.client()));
                Task<Void> b = Task.start(Kind.VIRTUAL, () -> closed(p.client()));
                Task<Void> c = Task.start(() -> closed(p.server()));
                a.get();
                b.get();
                c.get();
                try {
                    assertEquals(-1, reader.get());
                } catch (SocketException e) {
                    assertEquals("Socket closed", e.getMessage());
                }
                assertFalse(p.listener().isClosed());
            }
        }
    }

    private static Void closed(Socket s) throws IOException {
        s.close();
        return null;
    }
}
