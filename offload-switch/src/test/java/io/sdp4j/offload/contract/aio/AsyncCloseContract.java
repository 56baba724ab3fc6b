package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.nio.Nio;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Close, end and reset: behaviours 10, 14, 16, 45, 63 and 95. */
interface AsyncCloseContract extends Aio {
    @Test
    @DisplayName("63: close fails what is pending")
    default void closeFailsWhatIsPending() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> read = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), null, read);
            Outcome<Integer> write = Aio.fill(p.client());
            Future<Integer> other = p.server().read(ByteBuffer.allocate(0));
            assertEquals(0, Aio.get(other));
            p.client().close();
            p.client().close();
            read.failedWith(AsynchronousCloseException.class, null);
            write.failedWith(AsynchronousCloseException.class, null);
            assertFalse(p.client().isOpen());
        }
        try (var p = pair()) {
            Future<Integer> read = p.client().read(ByteBuffer.allocate(1));
            p.client().close();
            Aio.failed(AsynchronousCloseException.class, null, read);
        }
    }

    @Test
    default void closedChannel() throws Exception {
        try (var p = pair()) {
            SocketAddress there = p.listener().getLocalAddress();
            p.client().close();
            ByteBuffer b = ByteBuffer.allocate(1);
            Aio.failed(ClosedChannelException.class, null, p.client().read(b));
            Aio.failed(ClosedChannelException.class, null, p.client().write(b));
            Aio.failed(ClosedChannelException.class, null, p.client().connect(there));
            Outcome<Integer> read = new Outcome<>();
            p.client().read(b, null, read);
            read.failedWith(ClosedChannelException.class, null);
            Outcome<Void> connect = new Outcome<>();
            p.client().connect(there, null, connect);
            connect.failedWith(ClosedChannelException.class, null);
            List<Call> calls =
                    List.of(
                            () -> p.client().getLocalAddress(),
                            () -> p.client().getRemoteAddress(),
                            () -> p.client().shutdownInput(),
                            () -> p.client().shutdownOutput(),
                            () -> p.client().bind(null));
            for (Call call : calls) {
                io.sdp4j.offload.contract.Expect.thrown(
                        ClosedChannelException.class, null, call::run);
            }
            assertTrue(p.client().toString().endsWith("[closed]"), p.client()::toString);
        }
    }

    /** Goal: the address is judged first. */
    @Test
    default void bindOfAClosedListener() throws Exception {
        AsynchronousServerSocketChannel listener =
                provider().openAsynchronousServerSocketChannel(null);
        listener.close();
        assertThrows(
                UnsupportedAddressTypeException.class,
                () -> listener.bind(UnixDomainSocketAddress.of("closed")));
        assertThrows(ClosedChannelException.class, () -> listener.bind(null));
    }

    /** Something that may throw. */
    interface Call {
        void run() throws IOException;
    }

    /** Goal: the peer gets what was written, then the end; writing on breaks. */
    @Test
    @DisplayName("16, 63: the peer sees the end; writing on breaks")
    default void peerSeesTheEnd() throws Exception {
        try (var p = pair()) {
            Aio.send(p.client(), "bye");
            p.client().close();
            assertEquals("bye", Aio.receive(p.server(), 3));
            assertEquals(-1, Aio.get(p.server().read(ByteBuffer.allocate(1))));
            breaks(p.server());
        }
    }

    private static void breaks(AsynchronousSocketChannel channel) {
        Throwable broken = Nio.awaitThrown(() -> Aio.send(channel, "x"));
        assertEquals(IOException.class, broken.getClass());
        assertTrue(
                List.of("Broken pipe", "Connection reset by peer").contains(broken.getMessage()),
                broken::getMessage);
    }

    /** Goal: unread data at close is a reset to the reader, once it has read what came before. */
    @Test
    default void closeWithUnreadDataIsSeen() throws Exception {
        try (var p = pair()) {
            Aio.send(p.client(), "never read");
            Aio.send(p.server(), "sent");
            Outcome<Integer> seen = new Outcome<>();
            p.server().read(ByteBuffer.allocate(0), null, seen);
            seen.get();
            p.server().close();
            StringBuilder got = new StringBuilder();
            try {
                for (String s = Aio.receive(p.client(), 1);
                        !s.isEmpty();
                        s = Aio.receive(p.client(), 1)) {
                    got.append(s);
                }
            } catch (IOException e) {
                assertEquals(IOException.class, e.getClass());
                assertEquals("Connection reset", e.getMessage());
            }
            assertEquals("sent", got.toString());
            breaks(p.client());
        }
    }

    @Test
    @DisplayName("63: close fails a pending accept")
    default void closeFailsAPendingAccept() throws Exception {
        AsynchronousServerSocketChannel listener = listen(null);
        Outcome<AsynchronousSocketChannel> accept = new Outcome<>();
        listener.accept(null, accept);
        listener.close();
        accept.failedWith(AsynchronousCloseException.class, null);
        Aio.failed(ClosedChannelException.class, null, listener.accept());
        AsynchronousServerSocketChannel other = listen(null);
        Future<?> future = other.accept();
        other.close();
        Aio.failed(AsynchronousCloseException.class, null, future);
        assertFalse(other.isOpen());
    }

    /** Goal: no interleaving of close with operations loses a completion. Method: many rounds. */
    @Test
    default void everyOperationEndsWhateverTheCloserDoes() throws Exception {
        for (int round = 0; round < 100; round++) {
            List<Outcome<Integer>> outcomes = new ArrayList<>();
            try (var p = pair()) {
                Outcome<Integer> read = new Outcome<>();
                p.server().read(ByteBuffer.allocate(1), null, read);
                outcomes.add(read);
                Thread closer = Thread.ofPlatform().start(() -> close(p.server()));
                Outcome<Integer> write = new Outcome<>();
                p.client().write(ByteBuffer.allocate(1), null, write);
                outcomes.add(write);
                closer.join();
            }
            for (Outcome<Integer> outcome : outcomes) {
                try {
                    assertEquals(1, outcome.get());
                } catch (AssertionError e) {
                    assertTrue(e.getCause() instanceof IOException, e::toString);
                }
            }
        }
    }

    private static void close(AsynchronousSocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
