package io.sdp4j.offload.contract.aio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Expect;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.InterruptedByTimeoutException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Time-outs and cancel: behaviours 63 and 95. */
interface AsyncTimeoutContract extends Aio {
    String NO_READ = "Reading not allowed due to timeout or cancellation";
    String NO_WRITE = "Writing not allowed due to timeout or cancellation";

    @Test
    @DisplayName("63: a read times out, and none may follow")
    default void readTimesOutOnceAndForAll() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> read = new Outcome<>();
            long start = System.nanoTime();
            p.client().read(ByteBuffer.allocate(1), 20, TimeUnit.MILLISECONDS, "late", read);
            read.failedWith(InterruptedByTimeoutException.class, null);
            assertEquals("late", read.attachment());
            assertTrue(System.nanoTime() - start >= 20_000_000);
            Expect.thrown(
                    IllegalStateException.class,
                    NO_READ,
                    () -> p.client().read(ByteBuffer.allocate(1)));
            Aio.send(p.client(), "writes go on");
            assertEquals("writes go on", Aio.receive(p.server(), 12));
            assertTrue(p.client().isOpen());
        }
    }

    @Test
    default void aTimeWithoutAUnitFailsTheReadAlone() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> read = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), 20, null, null, read);
            read.failedWith(NullPointerException.class, null);
            Aio.send(p.server(), "x");
            assertEquals("x", Aio.receive(p.client(), 1));
        }
    }

    @Test
    default void scatteringReadTimesOut() throws Exception {
        try (var p = pair()) {
            Outcome<Long> read = new Outcome<>();
            ByteBuffer[] dsts = {ByteBuffer.allocate(1), ByteBuffer.allocate(1)};
            p.client().read(dsts, 0, 2, 20, TimeUnit.MILLISECONDS, null, read);
            read.failedWith(InterruptedByTimeoutException.class, null);
        }
    }

    @Test
    @DisplayName("63: a write times out, and none may follow")
    default void writeTimesOutOnceAndForAll() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> write = new Outcome<>();
            do {
                write = new Outcome<>();
                p.client()
                        .write(
                                ByteBuffer.allocate(256 * 1024),
                                100,
                                TimeUnit.MILLISECONDS,
                                null,
                                write);
            } while (!failed(write));
            write.failedWith(InterruptedByTimeoutException.class, null);
            Expect.thrown(
                    IllegalStateException.class,
                    NO_WRITE,
                    () -> p.client().write(ByteBuffer.allocate(1)));
            Aio.send(p.server(), "reads go on");
            assertEquals("reads go on", Aio.receive(p.client(), 11));
        }
    }

    private static boolean failed(Outcome<Integer> write) throws InterruptedException {
        try {
            write.get();
            return false;
        } catch (AssertionError e) {
            return e.getCause() != null;
        }
    }

    /**
     * Goal: a timer of an operation that is over does not hit the next one. Method: a read of the
     * other end with the same time, begun later, tells when that time is over.
     */
    @Test
    default void timersEndWithTheirOperation() throws Exception {
        try (var p = pair()) {
            for (int i = 0; i < 20; i++) {
                Outcome<Integer> read = new Outcome<>();
                p.client().read(ByteBuffer.allocate(1), 5, TimeUnit.SECONDS, null, read);
                Aio.send(p.server(), "x");
                assertEquals(1, read.get());
            }
            Outcome<Integer> last = new Outcome<>();
            p.client().read(ByteBuffer.allocate(1), null, last);
            Outcome<Integer> clock = new Outcome<>();
            p.server().read(ByteBuffer.allocate(1), 5, TimeUnit.SECONDS, null, clock);
            clock.failedWith(InterruptedByTimeoutException.class, null);
            assertFalse(last.done());
            Aio.send(p.server(), "y");
            assertEquals(1, last.get());
        }
    }

    @Test
    @DisplayName("63: a cancelled read forbids reading")
    default void cancelledReadForbidsReading() throws Exception {
        try (var p = pair()) {
            Future<Integer> read = p.client().read(ByteBuffer.allocate(1));
            assertThrows(TimeoutException.class, () -> read.get(1, TimeUnit.MILLISECONDS));
            assertTrue(read.cancel(false));
            assertTrue(read.isCancelled() && read.isDone());
            assertThrows(CancellationException.class, read::get);
            assertFalse(read.cancel(true), "cancelled already");
            assertTrue(p.client().isOpen());
            Expect.thrown(
                    IllegalStateException.class,
                    NO_READ,
                    () -> p.client().read(ByteBuffer.allocate(1)));
            Aio.send(p.client(), "w");
            assertEquals("w", Aio.receive(p.server(), 1));
        }
    }

    @Test
    @DisplayName("63: cancel(true) closes")
    default void cancelWithForceCloses() throws Exception {
        try (var p = pair()) {
            Future<Integer> read = p.client().read(ByteBuffer.allocate(1));
            assertTrue(read.cancel(true));
            assertThrows(CancellationException.class, read::get);
            assertFalse(p.client().isOpen());
            Aio.failed(ClosedChannelException.class, null, p.client().read(ByteBuffer.allocate(1)));
            assertEquals(-1, Aio.get(p.server().read(ByteBuffer.allocate(1))), "the peer sees it");
        }
    }

    @Test
    default void cancelledWriteForbidsWriting() throws Exception {
        try (var p = pair()) {
            Outcome<Integer> first = Aio.fill(p.client());
            assertFalse(first.done());
            Aio.drainUntil(p.server(), first);
            Future<Integer> write = p.client().write(ByteBuffer.allocate(1 << 20));
            while (write.isDone()) {
                write = p.client().write(ByteBuffer.allocate(1 << 20));
            }
            assertTrue(write.cancel(false));
            Expect.thrown(
                    IllegalStateException.class,
                    NO_WRITE,
                    () -> p.client().write(ByteBuffer.allocate(1)));
        }
    }

    @Test
    default void cancelledAcceptForbidsAccepting() throws Exception {
        try (AsynchronousServerSocketChannel listener = listen(null)) {
            Future<?> accept = listener.accept();
            assertTrue(accept.cancel(false));
            assertTrue(accept.isCancelled());
            assertTrue(listener.isOpen());
            Expect.thrown(
                    RuntimeException.class,
                    "Accept not allowed due cancellation",
                    listener::accept);
        }
    }

    /** Goal: cancel(true) closes all of the channel, which its group does not wait for any more. */
    @Test
    @DisplayName("63, 93: a channel that cancel(true) closed leaves its group")
    default void cancelWithForceLetsTheGroupEnd() throws Exception {
        AsynchronousChannelGroup ofListener = group(1, "listener");
        AsynchronousServerSocketChannel listener = listen(ofListener);
        Future<?> accept = listener.accept();
        ofListener.shutdown();
        assertTrue(accept.cancel(true));
        assertFalse(listener.isOpen());
        assertTrue(ofListener.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));

        AsynchronousChannelGroup ofClient = group(1, "client");
        try (AsynchronousServerSocketChannel other = listen(null)) {
            AsynchronousSocketChannel client = channel(ofClient);
            Aio.get(client.connect(other.getLocalAddress()));
            Future<?> read = client.read(ByteBuffer.allocate(1));
            ofClient.shutdown();
            assertTrue(read.cancel(true));
            assertTrue(ofClient.awaitTermination(PATIENCE_SECONDS, TimeUnit.SECONDS));
            Aio.get(other.accept()).close();
        }
    }
}
