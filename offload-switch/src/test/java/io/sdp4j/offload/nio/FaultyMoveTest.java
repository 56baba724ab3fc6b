package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.Handover;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a stream that fails while a connection takes it is closed, and the connection stays; one
 * that fails later loses nothing. Method: its methods throw.
 */
@Timeout(60)
class FaultyMoveTest extends MovedByHand {
    @ParameterizedTest
    @ValueSource(strings = {"info", "notifyFd", "readerBehind"})
    void itIsClosed(String method) throws Exception {
        unable = method;
        channel.write(ByteBuffer.allocate(1));
        await().atMost(Duration.ofSeconds(20)).until(() -> closed);
        accepted.shutdownOutput();
        channel.configureBlocking(true);
        assertEquals(-1, channel.read(ByteBuffer.allocate(1)));
        channel.close();
        assertEquals(1, closes.get());
    }

    /** The call tells the stream that all bytes of TCP have come. */
    @Test
    void aReadForWhoseLookThereIsNoMemoryHasItsBytes() throws Exception {
        accepted.write(ByteBuffer.allocate(3));
        moveOutput();
        tellLimit(3);
        withoutMemory = "readerBehind";
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
    }

    /** The counters ask the stream. */
    @Test
    void anOutputForWhoseCountThereIsNoMemoryMoves() throws Exception {
        withoutMemory = "tryBegin";
        assertEquals(1, channel.write(ByteBuffer.allocate(1)));
        await().until(() -> toRead != null);
        withoutMemory = "info";
        assertEquals(0, channel.write(ByteBuffer.allocate(1))); // the stream takes nothing
        withoutMemory = null;
        assertTrue(SwitchedConnection.of(channel).moving.handover.outMoved());
    }

    /** A later call finds some. */
    @Test
    void anOutputForWhoseLimitThereIsNoMemoryMovesLater() throws Exception {
        Handover handover = SwitchedConnection.of(channel).moving.handover;
        withoutMemory = "tryBegin";
        assertEquals(1, channel.write(ByteBuffer.allocate(1)));
        await().until(() -> toRead != null);
        assertEquals(1, channel.write(ByteBuffer.allocate(1)));
        assertFalse(handover.outMoved());
        withoutMemory = null;
        assertEquals(0, channel.write(ByteBuffer.allocate(1))); // the stream takes nothing
        assertTrue(handover.outMoved());
        assertEquals(2, accepted.read(ByteBuffer.allocate(9)));
    }
}
