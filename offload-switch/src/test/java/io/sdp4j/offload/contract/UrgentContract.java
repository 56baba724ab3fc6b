package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Urgent data: behaviour 22. One byte is urgent at a time, the last one; reads stop before it; what
 * becomes of it is decided when the reader comes to it.
 */
interface UrgentContract extends Sockets {
    @Test
    @DisplayName("22: the receiver decides what becomes of urgent data")
    default void urgentDataIsDroppedOrInline() throws IOException {
        try (var p = pair()) {
            assertFalse(p.server().getOOBInline());
            Expect.send(p.client(), "a");
            assertEquals("a", Expect.receive(p.server(), 1));
            p.client().sendUrgentData('!');
            Expect.send(p.client(), "b");
            assertEquals("b", Expect.receive(p.server(), 1));
            p.server().setOOBInline(true);
            assertTrue(p.server().getOOBInline());
            p.client().sendUrgentData('?');
            Expect.send(p.client(), "c");
            assertEquals("?c", Expect.receive(p.server(), 2));
        }
    }

    @Test
    default void oobInlineSetBeforeConnect() throws IOException {
        try (var listener = listen(1);
                Socket c = newSocket()) {
            c.setOOBInline(true);
            c.connect(listener.getLocalSocketAddress());
            try (Socket s = listener.accept()) {
                s.sendUrgentData('!');
                Expect.send(s, "x");
                assertEquals("!x", Expect.receive(c, 2));
            }
        }
    }

    private static void awaitAvailable(Socket s, int bytes) throws IOException {
        InputStream in = s.getInputStream();
        Awaitility.await().until(() -> in.available() == bytes);
    }

    @Test
    @DisplayName("22: reads stop before an urgent byte, in line or not")
    default void readsStopAtTheMark() throws IOException {
        for (boolean inline : new boolean[] {false, true}) {
            try (var p = pair()) {
                p.server().setOOBInline(true);
                Expect.send(p.client(), "ab");
                p.client().sendUrgentData('!');
                Expect.send(p.client(), "cd");
                awaitAvailable(p.server(), 5);
                p.server().setOOBInline(inline);
                assertEquals(inline ? 5 : 2, p.server().getInputStream().available());
                byte[] b = new byte[10];
                assertEquals(2, p.server().getInputStream().read(b));
                assertEquals("ab", Expect.text(b).substring(0, 2));
                assertEquals(inline ? "!cd" : "cd", Expect.receive(p.server(), inline ? 3 : 2));
                assertEquals(0, p.server().getInputStream().available());
            }
        }
    }

    /** Goal: the option counts when the reader comes to the byte, not when the byte comes. */
    @Test
    @DisplayName("22: whether a byte stays is decided when it is read")
    default void decidedWhenRead() throws IOException {
        try (var p = pair()) {
            p.server().setOOBInline(true);
            Expect.send(p.client(), "a");
            p.client().sendUrgentData('!');
            awaitAvailable(p.server(), 2);
            p.server().setOOBInline(false);
            Expect.send(p.client(), "b");
            assertEquals("ab", Expect.receive(p.server(), 2));
            p.server().setOOBInline(false);
            Expect.send(p.client(), "c");
            p.client().sendUrgentData('?');
            awaitAvailable(p.server(), 1);
            p.server().setOOBInline(true);
            awaitAvailable(p.server(), 2);
            assertEquals("c?", Expect.receive(p.server(), 2));
        }
    }

    /** Goal: a second urgent byte makes an unread one before it an ordinary byte. */
    @Test
    @DisplayName("22: only the last urgent byte is urgent")
    default void onlyTheLastOneIsUrgent() throws IOException {
        try (var p = pair()) {
            Expect.send(p.client(), "a");
            p.client().sendUrgentData('!');
            Expect.send(p.client(), "b");
            p.client().sendUrgentData('?');
            awaitAvailable(p.server(), 3);
            Expect.send(p.client(), "c");
            assertEquals("a!bc", Expect.receive(p.server(), 4));
        }
    }

    /** Goal: one that the reader stands before, when the next one comes, is passed over. */
    @Test
    @DisplayName("22: an urgent byte that the reader stands before makes way for the next")
    default void oneAtTheMarkMakesWay() throws IOException {
        try (var p = pair()) {
            Expect.send(p.client(), "a");
            p.client().sendUrgentData('!');
            assertEquals("a", Expect.receive(p.server(), 1));
            Expect.send(p.client(), "b");
            p.client().sendUrgentData('?');
            Expect.send(p.client(), "c");
            assertEquals("bc", Expect.receive(p.server(), 2));
        }
        try (var p = pair()) {
            p.client().sendUrgentData('!');
            p.client().sendUrgentData('?');
            Expect.send(p.client(), "x");
            assertEquals("x", Expect.receive(p.server(), 1));
        }
    }

    @Test
    @DisplayName("22: every urgent byte stays in line")
    default void allStayInLine() throws IOException {
        try (var p = pair()) {
            p.server().setOOBInline(true);
            p.client().sendUrgentData('!');
            p.client().sendUrgentData(0x100 + '?');
            Expect.send(p.client(), "x");
            p.client().sendUrgentData('#');
            assertEquals("!?x#", Expect.receive(p.server(), 4));
            p.server().sendUrgentData('<');
            Expect.send(p.server(), "y");
            assertEquals("y", Expect.receive(p.client(), 1));
        }
    }

    @Test
    @DisplayName("22: an urgent byte alone is nothing to read")
    default void aloneItIsNothing() throws Exception {
        try (var p = pair()) {
            InputStream in = p.server().getInputStream();
            Task<Integer> reader = Task.start(in::read);
            reader.awaitBlocked();
            p.client().sendUrgentData('!');
            reader.awaitBlocked();
            Expect.send(p.client(), "x");
            assertEquals('x', reader.get());
            p.client().sendUrgentData('?');
            p.server().setSoTimeout(50);
            Expect.thrown(SocketTimeoutException.class, "Read timed out", in::read);
            assertEquals(0, in.available());
            p.client().close();
            p.server().setSoTimeout(0);
            assertEquals(-1, in.read());
        }
    }

    @Test
    @DisplayName("22: urgent data of a connection that is half closed")
    default void halfClosed() throws IOException {
        try (var p = pair()) {
            Expect.send(p.client(), "a");
            p.client().sendUrgentData('!');
            p.client().shutdownOutput();
            Expect.thrown(IOException.class, "Broken pipe", () -> p.client().sendUrgentData('?'));
            assertEquals("a", Expect.text(p.server().getInputStream().readAllBytes()));
            p.server().sendUrgentData('!');
            Expect.send(p.server(), "b");
            assertEquals("b", Expect.receive(p.client(), 1));
        }
    }

    @Test
    @DisplayName("22: urgent data of a connection that is over")
    default void afterTheEnd() throws IOException {
        try (var p = pair()) {
            p.client().sendUrgentData('!');
            p.client().close();
            Expect.thrown(
                    SocketException.class, "Socket closed", () -> p.client().sendUrgentData('!'));
            assertEquals(-1, p.server().getInputStream().read());
        }
        try (var p = pair()) {
            p.server().setSoLinger(true, 0);
            p.server().close();
            Expect.thrown(
                    SocketException.class, "Connection reset", p.client().getInputStream()::read);
            Expect.thrown(IOException.class, "Broken pipe", () -> p.client().sendUrgentData('!'));
        }
        try (Socket s = newSocket()) {
            assertThrows(IOException.class, () -> s.sendUrgentData('!'));
        }
    }

    /** More urgent bytes than any connection takes without a reader. */
    int MANY = 100_000;

    /** Sends urgent bytes, until there is no room or all are sent. */
    private static Task<Void> urging(Task.Kind kind, Socket s, Socket peer) throws IOException {
        s.setSendBufferSize(4096);
        peer.setReceiveBufferSize(4096);
        peer.setOOBInline(true); // else some make way for the next
        return Task.start(
                kind,
                () -> {
                    for (int i = 0; i < MANY; i++) {
                        s.sendUrgentData('!');
                    }
                    return null;
                });
    }

    @Test
    @DisplayName("84: urgent data waits for room while the peer reads")
    default void waitsForRoom() throws Exception {
        try (var p = pair()) {
            Task<Void> sender = urging(Task.Kind.PLATFORM, p.client(), p.server());
            sender.awaitBlocked();
            assertEquals("!".repeat(MANY), Expect.receive(p.server(), MANY));
            sender.get();
        }
    }

    @Test
    @DisplayName("84: a close ends urgent data that waits for room")
    default void closeEndsTheWait() throws Exception {
        try (var p = pair()) {
            Task<Void> sender = urging(Task.Kind.PLATFORM, p.client(), p.server());
            sender.awaitBlocked();
            p.client().close();
            Expect.is(SocketException.class, "Socket closed", sender.thrown());
        }
    }

    @Test
    @DisplayName("84: urgent data of a virtual thread, or after a timed connect, does not wait")
    default void noWaitOnceNotBlocking() throws Exception {
        String full = "No buffer space available";
        try (var p = pair()) {
            Expect.is(
                    SocketException.class,
                    full,
                    urging(Task.Kind.VIRTUAL, p.client(), p.server()).thrown());
            Expect.is(
                    SocketException.class,
                    full,
                    urging(Task.Kind.PLATFORM, p.client(), p.server()).thrown());
        }
        try (var listener = listen(1);
                Socket c = newSocket()) {
            c.connect(listener.getLocalSocketAddress(), 10_000);
            try (Socket s = listener.accept()) {
                Expect.is(SocketException.class, full, urging(Task.Kind.PLATFORM, c, s).thrown());
            }
        }
    }

    /** Goal: for a socket whose reads are timed there is no room, and no waiting either. */
    @Test
    @DisplayName("22: urgent data to a peer that does not read, without waiting")
    default void noRoom() throws Exception {
        try (var p = pair()) {
            p.client().setSoTimeout(1);
            Expect.thrown(
                    SocketTimeoutException.class,
                    "Read timed out",
                    p.client().getInputStream()::read);
            p.client().setSendBufferSize(4096);
            p.server().setReceiveBufferSize(4096);
            Expect.send(p.client(), "a"); // else each one would make way for the next
            int sent = 0;
            SocketException full = null;
            while (full == null) {
                try {
                    p.client().sendUrgentData('!');
                    sent++;
                } catch (SocketException e) {
                    full = e;
                }
            }
            assertEquals("No buffer space available", full.getMessage());
            assertTrue(sent > 4, "sent " + sent);
            awaitAvailable(p.server(), sent); // the last one is urgent, the others are ordinary
            assertEquals("a" + "!".repeat(sent - 1), Expect.receive(p.server(), sent));
            Awaitility.await()
                    .untilAsserted(() -> assertDoesNotThrow(() -> Expect.send(p.client(), "x")));
            assertEquals("x", Expect.receive(p.server(), 1));
        }
    }
}
