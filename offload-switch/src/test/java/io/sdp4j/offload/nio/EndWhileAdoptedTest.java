package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a selector is told of an input or output that the application shuts, also when the channel
 * becomes an offloaded one between the look at the stack that carries it and the change of the
 * stream. Method: has it become one inside the stream's method, by a stream that never notifies of
 * what this end does.
 */
@Timeout(30)
class EndWhileAdoptedTest extends MovedByHand {
    @Override
    void ends(int op) {
        SwitchedConnection c = SwitchedConnection.of(channel);
        if (c.readLock.isHeldByCurrentThread()) {
            assertNull(c.connectedStream());
            c.readLock.unlock();
            c.moving.gaveLockBack();
            assertNotNull(c.connectedStream());
        }
        super.ends(op);
    }

    @ParameterizedTest
    @ValueSource(ints = {SelectionKey.OP_READ, SelectionKey.OP_WRITE})
    void aSelectorIsTold(int op) throws Exception {
        SwitchedConnection c = SwitchedConnection.of(channel);
        c.readLock.lock(); // it cannot become an offloaded one before this is given back
        moveOutput();
        tellLimit(0); // on a thread of its own: this one has the lock
        assertTrue(c.moving.handover.finished());

        SelectionKey key = channel.register(selector, op);
        selector.selectNow(); // it has asked, and does not ask again by itself
        selector.selectedKeys().clear();
        if (op == SelectionKey.OP_READ) {
            channel.shutdownInput();
        } else {
            channel.shutdownOutput();
        }
        assertEquals(1, selector.select(10_000));
        assertEquals(op, key.readyOps());
    }
}
