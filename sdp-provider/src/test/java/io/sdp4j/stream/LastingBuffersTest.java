package io.sdp4j.stream;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: buffers whose memory may end are told apart each time, however many were asked about. */
class LastingBuffersTest {
    private final LastingBuffers buffers = new LastingBuffers();

    @Test
    void directBuffersLastAndThoseOfAnArenaThatSomebodyMayCloseDoNot() {
        ByteBuffer[] direct = new ByteBuffer[6];
        for (int i = 0; i < direct.length; i++) {
            direct[i] = ByteBuffer.allocateDirect(10);
        }
        try (Arena arena = Arena.ofShared()) {
            ByteBuffer mortal = arena.allocate(10).asByteBuffer();
            for (int i = 0; i < 3 * direct.length; i++) {
                assertTrue(buffers.has(direct[i % direct.length]));
                assertTrue(buffers.has(direct[0].duplicate()));
                assertFalse(buffers.has(mortal));
                assertFalse(buffers.has(ByteBuffer.allocate(10)));
            }
        }
    }
}
