package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: while the output of a channel has moved and bytes of TCP are unread, a selector says that
 * it can be written exactly if the stream takes something. Method: a stream that has room when the
 * test says so; TCP has room all the time.
 */
@Timeout(60)
class HalfMovedTest extends MovedByHand {
    @BeforeEach
    void moveOnlyOutput() throws Exception {
        accepted.write(ByteBuffer.allocate(5));
        moveOutput();
        tellLimit(5);
        assertNull(SwitchedConnection.of(channel).connectedStream());
    }

    private int select(SelectionKey key) throws IOException {
        selector.selectedKeys().clear();
        int found = selector.select(20_000);
        if (found == 0) { // it was woken to ask again
            found = selector.select(20_000);
        }
        return found == 0 ? 0 : key.readyOps();
    }

    /** On a thread of the provider. */
    private void room() throws InterruptedException {
        ready = OffloadStream.WRITE;
        Thread.ofPlatform().start(toWrite).join();
    }

    @Test
    void aFullStreamCannotBeWritten() throws Exception {
        SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
        assertEquals(0, selector.selectNow());
        room();
        assertEquals(SelectionKey.OP_WRITE, select(key));
    }

    /** The selector watches TCP for room, as there was some when it asked. */
    @Test
    void norCanOneThatHasBecomeFull() throws Exception {
        ready = OffloadStream.WRITE;
        SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
        assertEquals(SelectionKey.OP_WRITE, select(key));
        ready = 0;
        selector.selectedKeys().clear();
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.selectNow());
        assertNotNull(toWrite, "it did not ask for room");
        room();
        assertEquals(SelectionKey.OP_WRITE, select(key));
    }

    @Test
    void inputOfTcpIsTold() throws Exception {
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        assertEquals(SelectionKey.OP_READ, select(key));
    }

    /** Its selector watched nothing of it. */
    @Test
    void oneThatHasMovedWhollyIsWatched() throws Exception {
        SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
        assertEquals(0, selector.selectNow());
        assertEquals(5, channel.read(ByteBuffer.allocate(9)));
        assertNotNull(SwitchedConnection.of(channel).connectedStream());
        room();
        assertEquals(SelectionKey.OP_WRITE, select(key));
    }

    /**
     * Goal: a read that finds bytes of TCP and of the stream has both, or does not wait. Method:
     * another reader comes when the first has seen that there are some.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReadHasTheRestBeforeAnotherReader(boolean scatters) throws Exception {
        channel.configureBlocking(true);
        ReentrantLock readLock = SwitchedConnection.of(channel).readLock;
        AtomicReference<Task<Integer>> other = new AtomicReference<>();
        whenAsked =
                () -> {
                    if (other.get() == null) {
                        other.set(Task.start(() -> channel.read(ByteBuffer.allocate(9))));
                        await().until(() -> other.get().done() || readLock.hasQueuedThreads());
                    }
                };
        payload = 4;
        ByteBuffer[] into = {ByteBuffer.allocate(3), ByteBuffer.allocate(6)};
        assertEquals(9, scatters ? channel.read(into) : channel.read(ByteBuffer.allocate(9)));
        assertEquals(-1, other.get().get());
    }

    /** Then the bytes of TCP are never read. */
    @Test
    void oneWhoseInputIsShutMoves() throws Exception {
        SelectionKey key = channel.register(selector, SelectionKey.OP_WRITE);
        assertEquals(0, selector.selectNow());
        channel.shutdownInput();
        assertNotNull(SwitchedConnection.of(channel).connectedStream());
        assertEquals(-1, channel.read(ByteBuffer.allocate(9)));
        room();
        assertEquals(SelectionKey.OP_WRITE, select(key));
    }
}
