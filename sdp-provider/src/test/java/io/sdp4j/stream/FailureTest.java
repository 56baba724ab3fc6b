package io.sdp4j.stream;

import static io.sdp4j.stream.StreamPair.readFully;
import static io.sdp4j.stream.StreamPair.writeFully;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Errors at the ends of a stream when something below it fails. */
@Timeout(60)
@SuppressWarnings("try") // closing early is the point
class FailureTest {
    /**
     * Goal: a call that fails has first woken other threads that wait for what it has drained.
     * Method: one virtual thread is parked in the stream, the connection is reset, and this
     * thread's call, the only one that looks, fails with it.
     */
    @ParameterizedTest
    @ValueSource(ints = {OffloadStream.READ, OffloadStream.WRITE})
    void aFailingCallWakesTheOther(int parkedFor) throws Exception {
        try (TestFabric fabric = new TestFabric();
                StreamPair pair = new StreamPair(fabric.provider(), fabric.provider(Shims::deaf))) {
            byte[] chunk = new byte[1 << 16];
            if (parkedFor == OffloadStream.WRITE) {
                while (pair.client.tryWrite(chunk, 0, chunk.length) > 0) {}
            }
            Thread parked =
                    Thread.startVirtualThread(() -> pair.client.await(parkedFor, Long.MAX_VALUE));
            await().until(() -> parked.getState() == Thread.State.WAITING);
            pair.server.close(true);
            if (parkedFor == OffloadStream.WRITE) {
                await().untilAsserted(
                                () ->
                                        assertThrows(
                                                SocketException.class,
                                                () -> pair.client.tryRead(chunk, 0, 1)));
            } else {
                await().untilAsserted(
                                () ->
                                        assertThrows(
                                                SocketException.class,
                                                () -> pair.client.tryWrite(chunk, 0, 1)));
            }
            parked.join(TimeUnit.SECONDS.toMillis(20));
            assertEquals(Thread.State.TERMINATED, parked.getState());
            pair.client.close(false);
        }
    }

    /**
     * Goal: a failure of our peer's queue pair is a reset, even if the peer had taken all that we
     * sent; an end of stream is for processes that have ended. Method: the peer's fabric cuts its
     * queue pairs.
     */
    @Test
    void aPeerWhoseQueuePairFailedIsNoEndOfStream() throws Exception {
        try (TestFabric here = new TestFabric();
                TestFabric there = here.beside();
                StreamPair pair = new StreamPair(there.provider(), here.provider())) {
            writeFully(pair.client, new byte[100]);
            assertEquals(100, readFully(pair.server, 100).length);
            assertEquals(0, pair.server.tryRead(new byte[1], 0, 1)); // gives the message back
            writeFully(pair.server, new byte[] {1, 2, 3});
            there.close();
            assertArrayEquals(new byte[] {1, 2, 3}, readFully(pair.client, 3));
            SocketException e =
                    assertThrows(SocketException.class, () -> readFully(pair.client, 1));
            assertEquals("Connection reset", e.getMessage());
            pair.client.close(false);
            pair.server.close(false);
        }
    }

    /**
     * Goal: a reset that comes while a gathering write has taken a part is told to the next call,
     * whichever that is, and never as an end of stream. Method: the peer resets between the
     * buffers, as it is called by the post of the first one.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aResetAmidAGatheringWriteIsToldToTheNextCall(boolean readFirst) throws Exception {
        AtomicReference<OffloadStream> resets = new AtomicReference<>();
        UnaryOperator<QueuePair> shim =
                qp ->
                        Shims.around(
                                QueuePair.class,
                                qp,
                                (p, method, args) -> {
                                    OffloadStream peer =
                                            method.getName().equals("postSend")
                                                    ? resets.getAndSet(null)
                                                    : null;
                                    if (peer != null) {
                                        peer.close(true);
                                    }
                                    return null;
                                });
        try (TestFabric fabric = new TestFabric();
                StreamPair pair =
                        new StreamPair(
                                fabric.provider(),
                                fabric.provider(f -> Shims.connecting(f, shim)))) {
            resets.set(pair.server);
            ByteBuffer[] two = {ByteBuffer.allocate(16_384), ByteBuffer.allocate(16_384)};
            assertEquals(16_384, pair.client.tryWrite(two, 0, 2));
            assertFalse(two[0].hasRemaining());
            assertEquals(16_384, two[1].remaining());
            byte[] one = new byte[1];
            SocketException e =
                    assertThrows(
                            SocketException.class,
                            () -> {
                                if (readFirst) {
                                    pair.client.tryRead(one, 0, 1);
                                } else {
                                    pair.client.tryWrite(two, 1, 2);
                                }
                            });
            assertEquals(
                    readFirst ? "Connection reset" : "Connection reset by peer", e.getMessage());
            pair.client.close(false);
        }
    }
}
