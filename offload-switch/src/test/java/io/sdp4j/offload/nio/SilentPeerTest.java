package io.sdp4j.offload.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Goal: a peer that ends TCP and says nothing by the stream keeps no reader waiting. */
@Timeout(60)
class SilentPeerTest extends MovedByHand {
    @BeforeEach
    void endTcp() throws Exception {
        moveOutput();
        accepted.shutdownOutput();
        channel.register(selector, SelectionKey.OP_READ);
        assertEquals(1, selector.select(20_000));
    }

    private int read() throws Exception {
        return Task.start(() -> channel.read(ByteBuffer.allocate(1))).get();
    }

    @Test
    void theEndOfTcpIsBelieved() throws Exception {
        assertEquals(-1, read());
        long start = System.nanoTime();
        for (int i = 0; i < 20; i++) {
            assertEquals(-1, read());
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertTrue(seconds < 20, "each waits for a second again: " + seconds);
    }

    @Test
    void aLimitThatNoThreadHasReadIsHeeded() throws Exception {
        tellLimitUnseen(0);
        assertEquals(0, read());
        ends(OffloadStream.READ);
        assertEquals(-1, read());
    }
}
