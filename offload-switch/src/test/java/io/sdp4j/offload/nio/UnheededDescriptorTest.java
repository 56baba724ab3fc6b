package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.sdp4j.offload.contract.Task;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import sun.nio.ch.SelChImpl;

/**
 * Goal: while a thread of the provider tells of readiness, what comes to the notify descriptor
 * wakes no selector. Method: a descriptor that is always readable, and a stream that asks for the
 * thread.
 */
@Timeout(60)
class UnheededDescriptorTest extends MovedByHand {
    private Pipe pipe;

    @BeforeEach
    void move() throws Exception {
        pipe = Pipe.open();
        pipe.sink().write(ByteBuffer.allocate(1));
        notifyFd = ((SelChImpl) pipe.source()).getFDVal();
        moveOutput();
        tellLimit(0);
        assertNotNull(SwitchedConnection.of(channel).connectedStream());
    }

    @AfterEach
    void closePipe() throws IOException {
        pipe.sink().close();
        pipe.source().close();
    }

    @Test
    void wakesNoSelector() throws Exception {
        SelectionKey _ = channel.register(selector, SelectionKey.OP_READ);
        assertEquals(0, selector.selectNow());
        assertEquals(0, selector.selectNow());
        Task<Integer> select = Task.start(() -> selector.select(20_000));
        await().until(() -> select.done() || select.isIn("sun.nio.ch.EPoll"));
        ready = OffloadStream.READ;
        Thread.ofPlatform().start(toRead).join();
        assertEquals(1, select.get());
    }
}
