package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sdp4j.fabric.QpSpec;
import io.sdp4j.linux.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The word that says what a process has written and not sent. */
class UnsentTest {
    private static final QpSpec SPEC = new QpSpec(4, 1024, 4);
    private static final long WORD = ShmLayout.control(0) + ShmLayout.UNSENT_WORD;

    private final ShmLayout layout = ShmFabric.layout(SPEC, SPEC);
    private final MemorySegment mem = Arena.ofAuto().allocate(layout.totalBytes, 4096);
    private final MappedMemory mapped = MappedMemory.of(mem);
    private final Unsent unsent = new Unsent(mapped, 0);

    private long word() {
        return mapped.getLongAcquire(WORD);
    }

    /** The turn of a slot comes round, so a word that stayed would be believed again. */
    @Test
    void aSlotThatWasSentIsNotShownAnyMore() {
        unsent.show(2, 7, 100);
        long shown = word();
        assertNotEquals(0, shown);
        unsent.sent(1); // another one, as a control message
        assertEquals(shown, word());
        unsent.sent(2);
        assertEquals(0, word());
    }

    /**
     * Goal: whatever word a peer has left, it gives a free slot of its own direction, or nothing.
     */
    @Test
    void aLyingWordGivesASlotOfTheDirectionOrNothing() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Unsent mine = new Unsent(mapped, 1);
        int given = 0;
        for (int i = 0; i < 200_000; i++) {
            long word = random.nextLong();
            if (random.nextBoolean()) { // nearer to the truth: some slot, its turn, some bytes
                unsent.show(random.nextInt(6), 0, random.nextInt(1_200));
                word = word() ^ (random.nextInt(4) == 0 ? 1L << random.nextInt(64) : 0);
            }
            mapped.putLongRelease(WORD, word);
            byte[] beyond =
                    mem.asSlice(layout.data[0] + 4L * layout.stride[0], 64).toArray(JAVA_BYTE);
            ReceiveRing in = new ReceiveRing(layout, 0, mapped);
            boolean taken = random.nextInt(8) == 0 && in.deliver(1, 16);
            long got = mine.takePeers(in);
            String what = "seed " + seed + ", word " + Long.toHexString(word);
            if (got != 0) {
                given++;
                int slot = (int) (got >>> Integer.SIZE);
                assertTrue(slot < 4 && !(taken && slot == 1), what);
                assertTrue((int) got >= 0 && (int) got <= layout.slotBytes[0], what);
            }
            assertArrayEquals(
                    beyond,
                    mem.asSlice(layout.data[0] + 4L * layout.stride[0], 64).toArray(JAVA_BYTE),
                    what);
        }
        assertTrue(given > 1_000, "only " + given);
    }
}
