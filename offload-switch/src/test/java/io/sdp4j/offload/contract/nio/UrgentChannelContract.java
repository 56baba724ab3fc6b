package io.sdp4j.offload.contract.nio;

import static java.nio.channels.SelectionKey.OP_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.testing.Pair;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Urgent data of channels, which only their sockets can send. */
interface UrgentChannelContract extends NioChannels {
    private static int read(SocketChannel c, ByteBuffer into) throws IOException {
        return c.read(into.clear());
    }

    @Test
    @DisplayName("22: an urgent byte of a channel is dropped or stays, as the reader says")
    default void droppedOrInline() throws IOException {
        try (var p = pair()) {
            Nio.send(p.client(), "a");
            p.client().socket().sendUrgentData('!');
            Nio.send(p.client(), "b");
            assertEquals("ab", Nio.receive(p.server(), 2));
            p.server().socket().setOOBInline(true);
            p.client().socket().sendUrgentData('?');
            Nio.send(p.client(), "c");
            assertEquals("?c", Nio.receive(p.server(), 2));
        }
    }

    @Test
    @DisplayName("22: a channel's reads stop before an urgent byte")
    default void readsStop() throws IOException {
        try (var p = pair()) {
            ByteBuffer b = ByteBuffer.allocateDirect(10);
            Nio.send(p.client(), "ab");
            p.client().socket().sendUrgentData('!');
            Nio.send(p.client(), "cd");
            assertEquals(2, read(p.server(), b));
            assertEquals("cd", Nio.receive(p.server(), 2));
            p.server().socket().setOOBInline(true);
            Nio.send(p.client(), "ef");
            p.client().socket().sendUrgentData('?');
            Nio.send(p.client(), "gh");
            assertEquals(2, read(p.server(), b));
            assertEquals("?gh", Nio.receive(p.server(), 3));
        }
    }

    @Test
    @DisplayName("22: an urgent byte alone makes no key ready")
    default void noKeyIsReady() throws IOException {
        try (var p = polledPair();
                Selector selector = provider().openSelector()) {
            p.server().register(selector, OP_READ);
            p.client().socket().sendUrgentData('!');
            assertEquals(0, selector.select(100));
            assertEquals(0, p.server().read(ByteBuffer.allocate(1)));
            Nio.send(p.client(), "x");
            assertEquals(1, selector.select(10_000));
            assertEquals("x", Nio.receive(p.server(), 1));
            selector.selectedKeys().clear();
            p.client().socket().sendUrgentData('?');
            p.client().shutdownOutput();
            assertEquals(1, selector.select(10_000));
            ByteBuffer b = ByteBuffer.allocate(1);
            Nio.await().until(() -> p.server().read(b) == -1);
        }
    }

    /** More urgent bytes than any connection takes without a reader. */
    int MANY = 100_000;

    /** Sends urgent bytes, until there is no room or all are sent. */
    private static Task<Void> urging(Task.Kind kind, Pair<ServerSocketChannel, SocketChannel> p)
            throws IOException {
        p.client().socket().setSendBufferSize(4096);
        p.server().socket().setReceiveBufferSize(4096);
        p.server().socket().setOOBInline(true); // else some make way for the next
        return Task.start(
                kind,
                () -> {
                    for (int i = 0; i < MANY; i++) {
                        p.client().socket().sendUrgentData('!');
                    }
                    return null;
                });
    }

    @Test
    @DisplayName("84: urgent data of a blocking channel waits for room while the peer reads")
    default void waitsForRoom() throws Exception {
        try (var p = pair()) {
            Task<Void> sender = urging(Task.Kind.PLATFORM, p);
            sender.awaitBlocked();
            assertEquals("!".repeat(MANY), Nio.receive(p.server(), MANY));
            sender.get();
        }
    }

    @Test
    @DisplayName("84: a close or an interrupt ends urgent data that waits for room")
    default void closeEndsTheWait() throws Exception {
        try (var p = pair()) {
            Task<Void> sender = urging(Task.Kind.PLATFORM, p);
            sender.awaitBlocked();
            p.client().close();
            if (!urgentByKernel()) {
                Expect.is(AsynchronousCloseException.class, null, sender.thrown());
            } else { // the JDK may find the next one at the closed channel
                assertInstanceOf(ClosedChannelException.class, sender.thrown());
            }
        }
        try (var p = pair()) {
            Task<Void> sender = urging(Task.Kind.PLATFORM, p);
            sender.awaitBlocked();
            sender.thread().interrupt();
            Expect.is(ClosedByInterruptException.class, null, sender.thrown());
        }
    }

    @Test
    @DisplayName("84: urgent data of a virtual thread at a channel does not wait")
    default void virtualThreadDoesNotWait() throws Exception {
        try (var p = pair()) {
            for (Task.Kind kind : List.of(Task.Kind.VIRTUAL, Task.Kind.PLATFORM)) {
                Expect.is(
                        SocketException.class,
                        "No buffer space available",
                        urging(kind, p).thrown());
            }
        }
    }

    @Test
    @DisplayName("22: urgent data of a channel whose peer does not read, and of one that is over")
    default void fullAndOver() throws IOException {
        try (var p = polledPair()) {
            Socket socket = p.client().socket();
            socket.setSendBufferSize(4096);
            p.server().socket().setReceiveBufferSize(4096);
            Nio.send(p.client(), "a");
            int sent = 0;
            IOException full = null;
            while (full == null) {
                try {
                    socket.sendUrgentData('!');
                    sent++;
                } catch (IOException e) {
                    full = e;
                }
            }
            Expect.is(IOException.class, "Socket buffer full", full);
            assertTrue(sent > 4, "sent " + sent);
            assertEquals("a" + "!".repeat(sent - 1), Nio.receive(p.server(), sent));
            p.client().shutdownOutput();
            assertThrows(IOException.class, () -> socket.sendUrgentData('!'));
            p.client().close();
            assertThrows(IOException.class, () -> socket.sendUrgentData('!'));
            assertEquals(
                    "Socket is closed",
                    assertThrows(IOException.class, () -> socket.setOOBInline(true)).getMessage());
        }
    }
}
