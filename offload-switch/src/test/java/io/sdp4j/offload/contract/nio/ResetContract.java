package io.sdp4j.offload.contract.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.contract.Task.Kind;
import java.io.IOException;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that cuts the connection. */
interface ResetContract extends NioChannels {
    private static ByteBuffer one() {
        return ByteBuffer.allocate(1);
    }

    private static ByteBuffer room() {
        return ByteBuffer.allocate(16);
    }

    private static void reset(SocketChannel c) throws IOException {
        c.setOption(StandardSocketOptions.SO_LINGER, 0).close();
    }

    @Test
    @DisplayName("45: reset, read first: queued data, then Connection reset for ever")
    default void resetReadFirst() throws Exception {
        for (boolean blocking : new boolean[] {true, false}) {
            try (var p = pair()) {
                p.client().configureBlocking(blocking);
                Nio.send(p.server(), "queued");
                reset(p.server());
                assertEquals("queued", Nio.receive(p.client(), 6));
                Expect.is(
                        SocketException.class,
                        "Connection reset",
                        Nio.awaitThrown(() -> p.client().read(room())));
                Expect.thrown(
                        SocketException.class, "Connection reset", () -> p.client().read(room()));
                Expect.thrown(IOException.class, "Broken pipe", () -> p.client().write(one()));
                Expect.thrown(
                        SocketException.class, "Connection reset", () -> p.client().read(room()));
                p.client().shutdownInput();
                assertEquals(-1, p.client().read(room()));
                assertTrue(p.client().isOpen());
            }
        }
    }

    @Test
    @DisplayName("45: reset, urgent data first: Connection reset by peer, then Broken pipe")
    default void resetUrgentFirst() throws Exception {
        try (var p = polledPair()) {
            reset(p.server());
            try (Selector selector = provider().openSelector()) {
                p.client().register(selector, SelectionKey.OP_READ);
                Nio.firstReady(selector);
            }
            Expect.thrown(
                    IOException.class,
                    "Connection reset by peer",
                    () -> p.client().socket().sendUrgentData('!'));
            Expect.thrown(
                    IOException.class,
                    "Broken pipe",
                    () -> p.client().socket().sendUrgentData('!'));
            assertEquals(-1, p.client().read(room()));
        }
    }

    @Test
    @DisplayName("45: reset, write first: Connection reset by peer, then queued data, then -1")
    default void resetWriteFirst() throws Exception {
        for (boolean blocking : new boolean[] {true, false}) {
            try (var p = pair()) {
                p.client().configureBlocking(blocking);
                Nio.send(p.server(), "queued");
                reset(p.server());
                Expect.is(
                        IOException.class,
                        "Connection reset by peer",
                        Nio.awaitThrown(() -> p.client().write(one())));
                assertEquals("queued", Nio.receiveAll(p.client()));
                Expect.thrown(IOException.class, "Broken pipe", () -> p.client().write(one()));
                assertEquals(-1, p.client().read(room()));
            }
        }
    }

    /**
     * Goal: a channel does not write what it cannot write any more, but the news of a reset is gone
     * with it. Method: a selector tells when the reset has come, which takes nothing away.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("45: reset after the output was shut: a write in vain takes the news")
    default void resetAfterShutdownOutput(boolean written) throws Exception {
        try (var p = polledPair()) {
            p.client().shutdownOutput();
            reset(p.server());
            try (Selector selector = provider().openSelector()) {
                p.client().register(selector, SelectionKey.OP_READ);
                Nio.firstReady(selector);
            }
            if (written) {
                assertThrows(AsynchronousCloseException.class, () -> p.client().write(one()));
                assertEquals(-1, p.client().read(room()));
            } else {
                Expect.thrown(
                        SocketException.class, "Connection reset", () -> p.client().read(room()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    @DisplayName("45: a reset ends blocked reads and writes")
    default void resetWakes(Kind kind) throws Exception {
        try (var p = pair()) {
            Task<Integer> reader = Task.start(kind, () -> p.client().read(room()));
            reader.awaitBlocked();
            reset(p.server());
            Expect.is(SocketException.class, "Connection reset", reader.thrown());
        }
        try (var p = pair()) {
            Task<Void> writer = Nio.fillBlocking(kind, p.client());
            reset(p.server());
            Expect.is(IOException.class, "Connection reset by peer", writer.thrown());
        }
    }

    /**
     * Whether the peer of a channel that is closed over unread data sees a reset, as the kernel's
     * does, and not what the peer of a {@code Socket} sees: the end of the stream, then a broken
     * pipe. A reset may overtake data that was written before.
     */
    default boolean resetsOverUnreadData() {
        return true;
    }

    /** Goal: closing over unread data is a reset, as it will never be read. */
    @Test
    @DisplayName("18: close with unread data: the peer gets what was sent to it, then a reset")
    default void closeWithUnreadData() throws Exception {
        try (var p = pair()) {
            Nio.send(p.server(), "for the client");
            Nio.send(p.client(), "never read");
            Nio.await().until(() -> p.server().socket().getInputStream().available() == 10);
            p.server().close();
            assertEquals("for the client", Nio.receive(p.client(), 14));
            if (resetsOverUnreadData()) {
                Expect.thrown(
                        SocketException.class, "Connection reset", () -> p.client().read(room()));
            } else {
                assertEquals(-1, p.client().read(room()));
                Expect.is(
                        IOException.class,
                        "Broken pipe",
                        Nio.awaitThrown(() -> p.client().write(one())));
            }
        }
    }
}
