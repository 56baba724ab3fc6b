package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.Handover;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
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

    /** It must not wait for a selector that is told nothing any more. */
    @Test
    void oneThatSelectorsCannotBeShownForWantOfMemoryIsReset() throws Exception {
        accepted.write(ByteBuffer.allocate(3));
        moveOutput();
        tellLimit(3);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        assertEquals(1, selector.select(20_000));
        selector.selectedKeys().clear();
        SwitchedConnection connection = SwitchedConnection.of(channel);
        synchronized (connection.stateLock) {
            connection.selectorSide.closePrepared(); // so that it asks for a descriptor again
        }
        withoutMemory = "notifyFd";
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
        assertTrue(closed);
        assertEquals(1, selector.select(20_000));
        assertEquals(SelectionKey.OP_READ, key.readyOps());
        for (int i = 0; i < 2; i++) {
            IOException e =
                    assertThrows(IOException.class, () -> channel.read(ByteBuffer.allocate(9)));
            assertEquals("Connection reset", e.getMessage());
        }
        assertThrows(IOException.class, () -> channel.write(ByteBuffer.allocate(1)));
    }

    @Test
    void aSelectorThatCannotBeToldOfTheMoveForWantOfMemoryAsks() throws Exception {
        accepted.write(ByteBuffer.allocate(3));
        moveOutput();
        tellLimit(3);
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        assertEquals(1, selector.select(20_000));
        selector.selectedKeys().clear();
        withoutMemory = "requestNotify";
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
        assertNotNull(SwitchedConnection.of(channel).connectedStream());
        withoutMemory = null;
        payload = 4;
        int found = selector.select(20_000);
        assertEquals(1, found > 0 ? found : selector.select(20_000)); // it may have been woken
        assertEquals(SelectionKey.OP_READ, key.readyOps());
        assertEquals(4, channel.read(ByteBuffer.allocate(9)));
    }

    @Test
    void oneThatHasFailedToBecomeOffloadedBecomesItLater() throws Exception {
        accepted.write(ByteBuffer.allocate(3));
        withoutMemory = "tryBegin"; // the output does not move
        assertEquals(1, channel.write(ByteBuffer.allocate(1)));
        await().until(() -> toRead != null);
        tellLimit(3);
        withoutMemory = null;
        unable = "tryBegin";
        assertThrows(IllegalStateException.class, () -> channel.read(ByteBuffer.allocate(9)));
        unable = null;
        assertEquals(0, channel.write(ByteBuffer.allocate(1))); // the stream takes nothing
        assertNotNull(SwitchedConnection.of(channel).connectedStream());
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
