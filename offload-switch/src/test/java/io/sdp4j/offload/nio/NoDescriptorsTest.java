package io.sdp4j.offload.nio;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.api.ReasonCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Goal: a connection whose stream cannot be shown to selectors, as descriptors are short, works on
 * by TCP. Method: a notify descriptor that no epoll takes.
 */
@Timeout(60)
class NoDescriptorsTest extends MovedByHand {
    @BeforeEach
    void noDescriptor() {
        notifyFd = Integer.MAX_VALUE;
    }

    @Test
    void oneThatDoesNotBlockStays() throws Exception {
        channel.write(ByteBuffer.allocate(1));
        await().until(() -> closed);
        assertFalse(SwitchedConnection.of(channel).moving.handover.outMoved());
        assertEquals(ReasonCode.MEMORY, SwitchChannels.explain(channel).orElseThrow().reason());
        assertEquals(Map.of(ReasonCode.MEMORY, 1L), owner.report().reasons());
        assertEquals(1, owner.report().kernelFallback());
        channel.register(selector, SelectionKey.OP_READ);
        assertEquals(0, selector.selectNow());
        accepted.write(ByteBuffer.allocate(3));
        assertEquals(1, selector.select(20_000));
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
    }

    /** It has moved by half. */
    @Test
    void oneThatBlocksGoesOnBlocking() throws Exception {
        channel.configureBlocking(true);
        moveOutput();
        assertThrows(IOException.class, () -> channel.configureBlocking(false));
        assertTrue(channel.isBlocking());
        accepted.write(ByteBuffer.allocate(3));
        assertEquals(3, channel.read(ByteBuffer.allocate(9)));
    }
}
