package io.sdp4j.rdma.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.sdp4j.rdma.os.ProcessMemory;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The keys of this side's regions that the peer may read straight from this process, for the peer
 * to see: {@value #PLACES} words of the control line, each a key or 0.
 *
 * <p>The peer looks at the word before it copies and once more after it: bytes count only if the
 * key was open all the time. So a region is closed as soon as its word is 0, without waiting for
 * the peer. The lowest bits of a key name its place, counted from 1.
 *
 * <p>Guarded by this object's monitor. The words are touched only while the memory is mapped.
 */
final class OpenKeys {
    static final int PLACES = 16;

    /** Bits of a key that name its place. */
    static final int PLACE_BITS = 5;

    static final int PLACE_MASK = (1 << PLACE_BITS) - 1;

    private final MemorySegment mem;
    private final Lifeline lifeline;
    private final long words;

    /** The key at each place; 0 = free, the place's own number = taken, not yet open. */
    private final int[] keys = new int[PLACES + 1];

    /**
     * @param side whose regions they are
     */
    OpenKeys(MemorySegment mem, Lifeline lifeline, int side) {
        this.mem = mem;
        this.lifeline = lifeline;
        long control = ShmLayout.control(side);
        words = control + ShmLayout.KEY_WORDS;
        lifeline.whileMapped(
                () -> {
                    mem.set(JAVA_LONG, control + ShmLayout.BADGE, ProcessMemory.ownBadge());
                    mem.set(
                            JAVA_LONG,
                            control + ShmLayout.BADGE_ADDRESS,
                            ProcessMemory.ownBadgeAddress());
                });
    }

    /** A free place, or 0. */
    synchronized int take() {
        for (int place = 1; place <= PLACES; place++) {
            if (keys[place] == 0) {
                keys[place] = place;
                return place;
            }
        }
        return 0;
    }

    /** The region of that key, which names the place it has taken, may be read from now on. */
    synchronized void open(int rkey) {
        keys[rkey & PLACE_MASK] = rkey;
        set(rkey & PLACE_MASK, rkey);
    }

    /** It may not be read any more, and its place is free. Idempotent. */
    synchronized void close(int rkey) {
        int place = rkey & PLACE_MASK;
        if (place != 0 && keys[place] == rkey) {
            set(place, 0);
            VarHandle.fullFence(); // before anything else is done with the memory
            keys[place] = 0;
        }
    }

    /** None may be read any more. */
    synchronized void closeAll() {
        for (int place = 1; place <= PLACES; place++) {
            close(keys[place]);
        }
    }

    private void set(int place, int rkey) {
        long word = words + 4L * (place - 1);
        lifeline.whileMapped(() -> Words.INT.setRelease(mem, word, rkey));
    }
}
