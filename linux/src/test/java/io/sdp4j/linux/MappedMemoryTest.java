package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: both ways of access do the same with the same bytes. Method: each is looked at through the
 * segment that it was made of.
 */
final class MappedMemoryTest {
    private static final int BYTES = 4096;
    private static final long LONG = 0x8123_4567_89AB_CDEFL;
    private static final int INT = 0x89AB_CDEF;

    private final MemorySegment segment = map();

    private static MemorySegment map() {
        int fd = Mapping.create("sdp4j-test", BYTES);
        MemorySegment m = Mapping.map(fd, BYTES);
        Linux.close(fd);
        return m;
    }

    @AfterEach
    void unmap() {
        Mapping.unmap(segment);
    }

    private MappedMemory memory(boolean plain) {
        return plain
                ? assertInstanceOf(MappedMemory.Plain.class, MappedMemory.of(segment))
                : new MappedMemory.Checked(segment);
    }

    /** These tests have the JDK's package exported. */
    @Test
    void onlyMemoryThatNoArenaEndsIsPlain() {
        assertInstanceOf(MappedMemory.Plain.class, MappedMemory.of(segment));
        MappedMemory left;
        try (Arena arena = Arena.ofShared()) {
            left = MappedMemory.of(arena.allocate(8, 8));
            left.putLongRelease(0, LONG);
            assertEquals(LONG, left.getLongOpaque(0));
        }
        assertThrows(IllegalStateException.class, () -> left.getLongOpaque(0));
        assertThrows(IllegalStateException.class, () -> left.putIntRelease(0, INT));
        MappedMemory heap = MappedMemory.of(MemorySegment.ofArray(new long[1]));
        heap.putLongRelease(0, LONG);
        assertEquals(LONG, heap.getLongAcquire(0));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void longs(boolean plain) {
        MappedMemory m = memory(plain);
        m.putLongRelease(8, LONG);
        assertEquals(LONG, segment.get(JAVA_LONG, 8));
        m.putLongRelease(BYTES - 8, LONG + 1);
        assertEquals(LONG + 1, segment.get(JAVA_LONG, BYTES - 8));
        assertEquals(LONG, m.getLongAcquire(8));
        assertEquals(LONG + 1, m.getLongOpaque(BYTES - 8));
        assertEquals(0, segment.get(JAVA_LONG, 0));
        assertEquals(0, segment.get(JAVA_LONG, 16));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ints(boolean plain) {
        MappedMemory m = memory(plain);
        m.putIntRelease(4, INT);
        assertEquals(INT, segment.get(JAVA_INT, 4));
        m.putIntOpaque(12, INT + 1);
        assertEquals(INT + 1, segment.get(JAVA_INT, 12));
        m.putIntVolatile(20, INT + 2);
        assertEquals(INT + 2, segment.get(JAVA_INT, 20));
        assertEquals(INT, m.getIntAcquire(4));
        assertEquals(INT + 1, m.getIntOpaque(12));
        for (int at = 0; at < 24; at += 8) {
            assertEquals(0, segment.get(JAVA_INT, at));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copies(boolean plain) {
        MappedMemory m = memory(plain);
        m.copyIn(new byte[] {1, 2, 3, 4, 5}, 1, BYTES - 3, 3);
        assertArrayEquals(new byte[] {2, 3, 4}, segment.asSlice(BYTES - 3).toArray(JAVA_BYTE));
        assertEquals(0, segment.get(JAVA_BYTE, BYTES - 4));
        byte[] to = {9, 9, 9, 9};
        m.copyOut(BYTES - 2, to, 1, 2);
        assertArrayEquals(new byte[] {9, 3, 4, 9}, to);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noCopyLeavesTheMemoryOrTheArray(boolean plain) {
        MappedMemory m = memory(plain);
        byte[] b = new byte[8];
        long[][] wrong = {{-1, 0, 4}, {BYTES - 3, 0, 4}, {0, -1, 4}, {0, 5, 4}, {0, 0, -1}};
        for (long[] w : wrong) {
            int offset = (int) w[1];
            int lenBytes = (int) w[2];
            assertThrows(
                    IndexOutOfBoundsException.class, () -> m.copyIn(b, offset, w[0], lenBytes));
            assertThrows(
                    IndexOutOfBoundsException.class, () -> m.copyOut(w[0], b, offset, lenBytes));
        }
    }
}
