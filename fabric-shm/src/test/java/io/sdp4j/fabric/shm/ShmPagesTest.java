package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.MappedMemory;
import io.sdp4j.linux.Mapping;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: however large the kernel's pages are, a quiet connection gives back whole ones, which hold
 * nothing else. Method: memory that is laid out for larger pages than this kernel's, full of ones.
 */
class ShmPagesTest {
    private static final QpSpec SPEC = new QpSpec(200, 1000, 4);
    private static final int CHUNKS = 8;
    private static final int CHUNK_BYTES = 1000;

    /** Slots that are used. */
    private static final int SLOTS = 3;

    private MemorySegment mem;

    @AfterEach
    void unmap() {
        Mapping.unmap(mem);
    }

    private ShmLayout map(int pageBytes) {
        ShmLayout layout = new ShmLayout(SPEC, SPEC, CHUNKS, CHUNK_BYTES, pageBytes);
        int fd = Mapping.create("sdp4j-test", layout.totalBytes);
        mem = Mapping.map(fd, layout.totalBytes);
        Linux.close(fd);
        mem.asSlice(layout.wordsBytes()).fill((byte) 1);
        return layout;
    }

    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 16 << 10, 64 << 10})
    void usedSlotsOfTheFirstDirection(int pageBytes) {
        usedSlots(map(pageBytes), 0);
    }

    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 16 << 10, 64 << 10})
    void usedSlotsOfTheSecondDirection(int pageBytes) {
        usedSlots(map(pageBytes), 1);
    }

    private void usedSlots(ShmLayout layout, int direction) {
        SendRing ring = new SendRing(layout, direction, MappedMemory.of(mem));
        int[] taken = new int[SLOTS];
        for (int i = 0; i < SLOTS; i++) {
            taken[i] = ring.take(null);
        }
        for (int slot : taken) {
            ring.giveBack(slot);
        }
        ring.publish(0);
        assertTrue(ring.trim(null, null));
        long from = next(0, layout.wordsBytes());
        long to = next(1, from);
        assertEquals(layout.totalBytes, next(0, to), "in one piece");
        assertEquals(0, from % layout.pageBytes);
        assertEquals(0, to % layout.pageBytes);
        for (int slot : taken) {
            long at = layout.data[direction] + (long) slot * layout.stride[direction];
            assertTrue(from <= at && at + layout.stride[direction] <= to, "slot " + slot);
        }
        assertTrue(from >= layout.data[direction]);
        assertTrue(to <= (direction == 0 ? layout.chunk[0] : layout.totalBytes));
    }

    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 16 << 10, 64 << 10})
    void everyAreaBeginsOnAPage(int pageBytes) {
        ShmLayout layout = map(pageBytes);
        for (int direction = 0; direction < 2; direction++) {
            assertEquals(0, layout.data[direction] % pageBytes);
            assertEquals(0, layout.chunk[direction] % pageBytes);
        }
        assertEquals(0, layout.totalBytes % pageBytes);
    }

    /** Where the next byte with this value is, or the end. */
    private long next(int value, long from) {
        long at = from;
        while (at < mem.byteSize() && mem.get(JAVA_BYTE, at) != value) {
            at++;
        }
        return at;
    }
}
