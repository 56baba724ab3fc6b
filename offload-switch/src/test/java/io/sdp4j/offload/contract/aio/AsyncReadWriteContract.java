package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading and writing: behaviours 43, 44, 63 and 95. */
interface AsyncReadWriteContract extends Aio {
    @Test
    default void futureAndHandlerCarryData() throws Exception {
        try (var p = pair()) {
            Aio.send(p.client(), "hello");
            assertEquals("hello", Aio.receive(p.server(), 5));
            Outcome<Integer> read = new Outcome<>();
            ByteBuffer dst = ByteBuffer.allocateDirect(8);
            p.client().read(dst, "with", read);
            assertFalse(read.done());
            Outcome<Integer> write = new Outcome<>();
            p.server().write(Aio.bytes("back"), "to", write);
            assertEquals(4, write.get());
            assertEquals("to", write.attachment());
            assertEquals(4, read.get());
            assertEquals("with", read.attachment());
            assertEquals(4, dst.position());
            assertEquals('b', dst.get(0));
        }
    }

    /**
     * A group of fixed threads does on its own what another thread has begun, and needs no room.
     */
    @Test
    @DisplayName("44: a read into no buffers waits as any other in a group of fixed threads")
    default void aReadIntoNothingWaitsForInput() throws Exception {
        AsynchronousChannelGroup fixed = group(1, "fixed");
        ByteBuffer[] none = {};
        try (var p = pair(fixed)) {
            Outcome<Long> read = new Outcome<>();
            p.client().read(none, 0, 0, 0, TimeUnit.SECONDS, null, read);
            assertThrows(ReadPendingException.class, () -> p.client().read(Aio.bytes("x")));
            Aio.send(p.server(), "x");
            assertEquals(0, read.get());
            assertEquals("x", Aio.receive(p.client(), 1));
            Outcome<Long> late = new Outcome<>();
            ByteBuffer[] full = {ByteBuffer.allocate(0)};
            p.client().read(full, 0, 1, 20, TimeUnit.MILLISECONDS, null, late);
            late.failedWith(InterruptedByTimeoutException.class, null);
            Outcome<Long> write = new Outcome<>();
            p.client().write(none, 0, 0, 0, TimeUnit.SECONDS, null, write);
            assertEquals(0, write.get());
        }
        try (var p = pair(fixed)) {
            Outcome<Long> read = new Outcome<>();
            p.client().read(none, 0, 0, 0, TimeUnit.SECONDS, null, read);
            p.client().shutdownOutput(); // which is no input
            assertEquals(-1, p.server().read(Aio.bytes("x")).get());
            assertThrows(ReadPendingException.class, () -> p.client().read(Aio.bytes("x")));
            Aio.send(p.server(), "x");
            assertEquals(0, read.get());
        }
        fixed.shutdown();
        try (var p = pair()) {
            Outcome<Long> read = new Outcome<>();
            p.client().read(none, 0, 0, 0, TimeUnit.SECONDS, null, read);
            assertEquals(0, read.get());
        }
    }

    /** A pending read whose data comes later, as a future. */
    @Test
    default void pendingFutureCompletes() throws Exception {
        try (var p = pair()) {
            ByteBuffer dst = ByteBuffer.allocate(8);
            var read = p.server().read(dst);
            assertFalse(read.isDone());
            // a dependent would run on the thread that completes it, and might wait there
            assertFalse(read instanceof CompletionStage, "while it waits");
            assertFalse(p.client().write(Aio.bytes("x")) instanceof CompletionStage, "at once");
            assertEquals(1, Aio.get(read));
            assertTrue(read.isDone());
            assertFalse(read.cancel(true), "over already");
            assertTrue(p.server().isOpen());
        }
    }

    /**
     * Goal: behaviour 95, one outstanding operation per direction, and each direction by itself.
     */
    @Test
    @DisplayName("63, 95: one operation for each direction")
    default void secondOperationIsPending() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> read = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), null, read);
            assertThrows(ReadPendingException.class, () -> p.client().read(ByteBuffer.allocate(1)));
            assertThrows(
                    ReadPendingException.class,
                    () -> p.client().read(ByteBuffer.allocate(1), null, new Outcome<>()));
            Aio.send(p.client(), "writes go on");
            Outcome<Integer> write = Aio.fill(p.client());
            assertThrows(
                    WritePendingException.class, () -> p.client().write(ByteBuffer.allocate(1)));
            assertFalse(read.done());
            Aio.send(p.server(), "r");
            assertEquals(1, read.get());
            Aio.drainUntil(p.server(), write);
            assertTrue(write.get() > 0);
        }
    }

    @Test
    default void notConnected() throws IOException {
        try (AsynchronousSocketChannel fresh = channel(null)) {
            ByteBuffer b = ByteBuffer.allocate(1);
            assertThrows(NotYetConnectedException.class, () -> fresh.read(b));
            assertThrows(NotYetConnectedException.class, () -> fresh.write(b));
            assertThrows(
                    NotYetConnectedException.class, () -> fresh.read(b, null, new Outcome<>()));
            assertThrows(NotYetConnectedException.class, fresh::shutdownInput);
            assertThrows(NotYetConnectedException.class, fresh::shutdownOutput);
            assertNull(fresh.getRemoteAddress());
            assertNull(fresh.getLocalAddress());
        }
    }

    @Test
    default void badArguments() throws Exception {
        try (var p = pair()) {
            ByteBuffer b = ByteBuffer.allocate(1);
            Expect.thrown(
                    IllegalArgumentException.class,
                    "Read-only buffer",
                    () -> p.client().read(b.asReadOnlyBuffer()));
            Expect.thrown(
                    NullPointerException.class,
                    "'handler' is null",
                    () -> p.client().read(b, null, null));
            Expect.thrown(
                    NullPointerException.class,
                    "'handler' is null",
                    () -> p.client().write(b, null, null));
            assertThrows(NullPointerException.class, () -> p.client().read(null));
            assertThrows(NullPointerException.class, () -> p.client().write(null));
            ByteBuffer[] two = {b, b};
            Outcome<Long> none = new Outcome<>();
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> p.client().read(two, 1, 2, 0, TimeUnit.SECONDS, null, none));
            assertThrows(
                    IndexOutOfBoundsException.class,
                    () -> p.client().write(two, -1, 1, 0, TimeUnit.SECONDS, null, none));
            assertFalse(none.done());
        }
    }

    @Test
    default void nothingToMove() throws Exception {
        try (var p = pair()) {
            ByteBuffer empty = ByteBuffer.allocate(0);
            assertEquals(0, Aio.get(p.client().read(empty)));
            assertEquals(0, Aio.get(p.client().write(empty)));
            Outcome<Long> gathered = new Outcome<>();
            ByteBuffer[] none = {empty, empty};
            p.client().write(none, 0, 2, 0, TimeUnit.SECONDS, null, gathered);
            assertEquals(0L, gathered.get());
            Outcome<Long> scattered = new Outcome<>();
            p.client().read(none, 0, 2, 0, TimeUnit.SECONDS, null, scattered);
            assertEquals(0L, scattered.get());
            p.server().shutdownOutput();
            assertEquals(-1, Aio.get(p.client().read(ByteBuffer.allocate(1))));
            assertEquals(0, Aio.get(p.client().read(empty)));
        }
    }

    /** Goal: behaviour 44, positions move exactly, over heap, direct, sliced and empty buffers. */
    @Test
    default void gathersAndScatters() throws Exception {
        try (var p = pair()) {
            ByteBuffer direct = ByteBuffer.allocateDirect(4).put(Aio.bytes("cdef")).flip();
            ByteBuffer slice = Aio.bytes("xxghix").position(2).limit(5).slice();
            ByteBuffer[] srcs = {
                null,
                Aio.bytes("ab"),
                ByteBuffer.allocate(0),
                direct.asReadOnlyBuffer(),
                slice,
                null
            };
            Outcome<Long> write = new Outcome<>();
            p.client().write(srcs, 1, 4, 5, TimeUnit.SECONDS, "g", write);
            assertEquals(9L, write.get());
            assertFalse(srcs[1].hasRemaining() || srcs[3].hasRemaining() || slice.hasRemaining());
            assertEquals("abcdefghi", Aio.receive(p.server(), 9));

            ByteBuffer[] dsts = {
                ByteBuffer.allocateDirect(2), ByteBuffer.allocate(0), ByteBuffer.allocate(10)
            };
            Outcome<Long> read = new Outcome<>();
            p.client().read(dsts, 0, 3, 5, TimeUnit.SECONDS, "s", read);
            assertFalse(read.done());
            Aio.send(p.server(), "12345");
            assertEquals(5L, read.get());
            assertEquals(2, dsts[0].position());
            assertEquals(3, dsts[2].position());
            assertEquals("345", Expect.text(java.util.Arrays.copyOf(dsts[2].array(), 3)));
            Outcome<Long> end = new Outcome<>();
            p.server().shutdownOutput();
            p.client().read(dsts, 0, 3, 5, TimeUnit.SECONDS, null, end);
            assertEquals(-1L, end.get());
        }
    }

    @Test
    @DisplayName("44: a buffer that occurs twice is written twice")
    default void gathersAgain() throws Exception {
        try (var p = pair()) {
            ByteBuffer heap = Aio.bytes("..12").position(2);
            ByteBuffer direct = ByteBuffer.allocateDirect(2).put(Aio.bytes("34")).flip();
            ByteBuffer[] out = {heap, direct, heap, direct, direct, Aio.bytes("tail")};
            Outcome<Long> write = new Outcome<>();
            p.client().write(out, 0, 6, 0, TimeUnit.SECONDS, null, write);
            assertEquals(14L, write.get());
            assertEquals("1234123434tail", Aio.receive(p.server(), 14));
            assertEquals(4, heap.position());
            assertEquals(2, direct.position());
        }
    }

    /** Goal: with nothing to read such a read does not wait, and another may follow. */
    @Test
    @DisplayName("44: a buffer of a closed arena, or of a thread's, is refused at once")
    default void badArenasAreRefused() throws Exception {
        try (var p = pair();
                Arena confined = Arena.ofConfined()) {
            Arena shared = Arena.ofShared();
            ByteBuffer closed = shared.allocate(4).asByteBuffer();
            shared.close();
            ByteBuffer[] all = {closed, confined.allocate(4).asByteBuffer()};
            String[] reasons = {"Already closed", "Confined session not supported"};
            for (int i = 0; i < 2; i++) {
                ByteBuffer bad = all[i];
                String why = reasons[i];
                ByteBuffer[] both = {ByteBuffer.allocate(3), bad};
                String told = "java.lang.IllegalStateException: " + why; // by a future
                Aio.failed(IOException.class, told, p.client().read(bad));
                Aio.failed(IOException.class, told, p.client().write(bad));
                Outcome<Long> read = new Outcome<>();
                p.client().read(both, 0, 2, 0, TimeUnit.SECONDS, null, read);
                read.failedWith(IllegalStateException.class, why);
                Outcome<Long> write = new Outcome<>();
                p.client().write(both, 0, 2, 0, TimeUnit.SECONDS, null, write);
                write.failedWith(IllegalStateException.class, why);
                assertEquals(0, both[0].position());
            }
            Aio.send(p.client(), "goes on");
            assertEquals("goes on", Aio.receive(p.server(), 7));
        }
    }

    @Test
    @DisplayName("44: an arena is not closed while an operation has a buffer of it")
    default void arenasInUseStayOpen() throws Exception {
        try (var p = pair()) {
            Arena arena = Arena.ofShared();
            ByteBuffer in = arena.allocate(4).asByteBuffer();
            var read = p.client().read(in);
            assertThrows(IllegalStateException.class, arena::close);
            Aio.send(p.server(), "x");
            assertEquals(1, Aio.get(read));
            arena.close();
        }
    }

    @Test
    @DisplayName("14, 63: the end of the stream stays")
    default void endOfStreamStays() throws Exception {
        try (var p = pair()) {
            Aio.send(p.server(), "last");
            p.server().shutdownOutput().shutdownOutput();
            assertEquals("last", Aio.receive(p.client(), 10));
            assertEquals(-1, Aio.get(p.client().read(ByteBuffer.allocate(1))));
            assertEquals(-1, Aio.get(p.client().read(ByteBuffer.allocate(1))));
            Aio.send(p.client(), "still");
            assertEquals("still", Aio.receive(p.server(), 5));
            Aio.failed(ClosedChannelException.class, null, p.server().write(Aio.bytes("x")));
            Outcome<Integer> write = new Outcome<>();
            p.server().write(Aio.bytes("x"), null, write);
            write.failedWith(ClosedChannelException.class, null);
        }
    }

    @Test
    default void shutdownInputEndsAPendingRead() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> read = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), null, read);
            p.client().shutdownInput().shutdownInput();
            assertEquals(-1, read.get());
            assertEquals(-1, Aio.get(p.client().read(ByteBuffer.allocate(1))));
            assertEquals(-1, Aio.get(p.client().read(ByteBuffer.allocate(0))));
        }
    }

    @Test
    default void shutdownOutputBreaksAPendingWrite() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> write = Aio.fill(p.client());
            p.client().shutdownOutput();
            write.failedWith(IOException.class, "Broken pipe");
        }
    }

    /** Goal: every byte once and in order, both ways at the same time, whatever the sizes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    default void streamsBothWays(boolean direct) throws Exception {
        int total = 4 << 20;
        try (var p = pair()) {
            byte[] there = Expect.bytes(total, 1);
            byte[] back = Expect.bytes(total, 2);
            var wrote1 = new Pump(p.client(), there, direct, true, 11).start();
            var wrote2 = new Pump(p.server(), back, direct, true, 12).start();
            Pump read1 = new Pump(p.server(), new byte[total], direct, false, 13);
            Pump read2 = new Pump(p.client(), new byte[total], direct, false, 14);
            var got1 = read1.start();
            var got2 = read2.start();
            CompletableFuture.allOf(wrote1, wrote2, got1, got2).get(120, TimeUnit.SECONDS);
            assertArrayEquals(there, read1.bytes);
            assertArrayEquals(back, read2.bytes);
        }
    }

    /** Moves all of {@code bytes} in pieces of random size, each started by the handler before. */
    final class Pump implements CompletionHandler<Integer, ByteBuffer> {
        private final AsynchronousSocketChannel channel;
        private final byte[] bytes;
        private final boolean direct;
        private final boolean writes;
        private final Random random;
        private final CompletableFuture<Void> over = new CompletableFuture<>();
        private int at;

        Pump(
                AsynchronousSocketChannel channel,
                byte[] bytes,
                boolean direct,
                boolean writes,
                long seed) {
            this.channel = channel;
            this.bytes = bytes;
            this.direct = direct;
            this.writes = writes;
            this.random = new Random(seed);
        }

        CompletableFuture<Void> start() {
            next();
            return over;
        }

        private void next() {
            int size = Math.min(1 + random.nextInt(100_000), bytes.length - at);
            ByteBuffer b = direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
            if (writes) {
                channel.write(b.put(bytes, at, size).flip(), b, this);
            } else {
                channel.read(b, b, this);
            }
        }

        @Override
        public void completed(Integer n, ByteBuffer b) {
            if (n <= 0 || n != b.position()) {
                over.completeExceptionally(new AssertionError(n + " of " + b));
                return;
            }
            if (!writes) {
                b.flip().get(bytes, at, n);
            }
            at += n;
            if (at == bytes.length) {
                over.complete(null);
            } else {
                next();
            }
        }

        @Override
        public void failed(Throwable failure, ByteBuffer b) {
            over.completeExceptionally(failure);
        }
    }
}
