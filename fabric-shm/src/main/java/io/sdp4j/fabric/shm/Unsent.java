package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.linux.MappedMemory;
import java.lang.foreign.MemorySegment;

/**
 * Bytes that a side has put into a send slot and not sent: the peer takes them when the process of
 * that side has ended, as a kernel's socket delivers what it has accepted.
 *
 * <p>Shape: one long of the control line, 0 = nothing, and up to 1024 bytes of staging.
 *
 * {@snippet lang = text :
 *  63 valid | 59..44 slot | 43..23 bytes in the slot | 22..12 bytes staged behind them | 11..0 turn
 * }
 *
 * The turn counts how often the slot has been sent: a word that names a slot which was sent since
 * is of no meaning. It is taken back all the same, because the turn goes round; a process that dies
 * before it does so is caught by the turn.
 *
 * <p>Guarded by the queue pair's lock.
 */
final class Unsent {
    static final int TURN_MASK = 0xFFF;

    private static final int STAGED_SHIFT = 12;
    private static final int STAGED_MASK = 0x7FF;
    private static final int BYTES_SHIFT = 23;
    private static final int BYTES_MASK = 0x1F_FFFF;
    private static final int SLOT_SHIFT = 44;
    private static final int SLOT_MASK = 0xFFFF;

    private static final int NONE = -1;

    private final MappedMemory mem;
    private final ShmLayout layout;
    private final int side;
    private int shown = NONE; // the slot of the word

    Unsent(MappedMemory mem, ShmLayout layout, int side) {
        this.mem = mem;
        this.layout = layout;
        this.side = side;
    }

    private static long word(int of) {
        return ShmLayout.control(of) + ShmLayout.UNSENT_WORD;
    }

    /** Where this side's staged bytes are. */
    long stagingOffset() {
        return layout.staging[side];
    }

    /** A slot has been sent; its bytes are not shown any more. */
    void sent(int slot) {
        if (slot == shown) {
            shown = NONE;
            mem.putLongRelease(word(side), 0L);
        }
    }

    /** Shows the peer what is in a slot by now. */
    void show(int slot, int turn, int byteLen, int stagedBytes) {
        shown = slot;
        long word =
                Long.MIN_VALUE
                        | (long) slot << SLOT_SHIFT
                        | (long) byteLen << BYTES_SHIFT
                        | (long) stagedBytes << STAGED_SHIFT
                        | (turn & TURN_MASK);
        mem.putLongRelease(word(side), word);
    }

    /**
     * Takes what a peer that has ended had not sent: makes its slot whole.
     *
     * @return the slot (high half) and its bytes (low half), or 0 if there is nothing to believe
     */
    long takePeers(ReceiveRing in) {
        int peer = 1 - side;
        long word = mem.getLongAcquire(word(peer));
        int slot = (int) (word >>> SLOT_SHIFT) & SLOT_MASK;
        int bytes = (int) (word >>> BYTES_SHIFT) & BYTES_MASK;
        int staged = (int) (word >>> STAGED_SHIFT) & STAGED_MASK;
        boolean legal =
                word < 0
                        && staged <= QueuePair.STAGING_BYTES
                        && in.turn(slot) == (word & TURN_MASK)
                        && in.deliver(slot, bytes + staged);
        if (!legal) {
            return 0;
        }
        long to = layout.data[peer] + (long) slot * layout.stride[peer] + bytes;
        MemorySegment all = mem.segment();
        MemorySegment.copy(all, layout.staging[peer], all, to, staged);
        return (long) slot << Integer.SIZE | bytes + staged;
    }
}
