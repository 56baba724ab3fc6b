package io.sdp4j.fabric;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Goal: only memory that no close can end may be lent to a device. */
final class MemoryLifeTest {
    @Test
    void onlyMemoryWithoutAnOwnerThatClosesItLasts() {
        assertTrue(MemoryLife.lasting(MemorySegment.ofBuffer(ByteBuffer.allocateDirect(8))));
        assertTrue(MemoryLife.lasting(Arena.ofAuto().allocate(8)));
        assertTrue(MemoryLife.lasting(Arena.global().allocate(8)));
        assertFalse(MemoryLife.lasting(MemorySegment.ofArray(new byte[8])));
        try (Arena arena = Arena.ofShared()) {
            assertFalse(MemoryLife.lasting(arena.allocate(8)));
        }
        try (Arena arena = Arena.ofConfined()) {
            assertFalse(MemoryLife.lasting(arena.allocate(8)));
        }
    }
}
