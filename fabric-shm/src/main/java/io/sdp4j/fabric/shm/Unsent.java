package io.sdp4j.fabric.shm;

import io.sdp4j.linux.MappedMemory;

/**
 * Bytes that a side has put into a send slot and not sent. The peer takes them when the process of
 * that side has ended, just as a kernel's socket delivers the bytes that it has accepted.
 *
 * <p>Shape: one long of the control line, 0 = nothing.
 *
 * {@snippet lang = text :
 *  63 valid | 59..44 slot | 43..12 bytes in the slot | 11..0 turn
 * }
 *
 * The turn counts how often the slot has been sent: a word is invalid if its slot was sent after
 * the word was written. The sender clears the word nevertheless, because the turn wraps around; the
 * turn covers a process that dies before it clears the word.
 *
 * <p>Guarded by the queue pair's lock.
 */
final class Unsent {
    static final int TURN_MASK = 0xFFF;

    private static final int BYTES_SHIFT = 12;
    private static final int SLOT_SHIFT = 44;
    private static final int SLOT_MASK = 0xFFFF;

    private static final int NONE = -1;

    private final MappedMemory mem;
    private final int side;
    int shown = NONE; // the slot of the word

    Unsent(MappedMemory mem, int side) {
        this.mem = mem;
        this.side = side;
    }

    private static long word(int of) {
        return ShmLayout.control(of) + ShmLayout.UNSENT_WORD;
    }

    /** Clears the word if it names {@code slot}, which has been sent. */
    void sent(int slot) {
        if (slot == shown) {
            shown = NONE;
            mem.putLongRelease(word(side), 0L);
        }
    }

    /** Shows the peer the bytes that are in a slot now. */
    void show(int slot, int turn, int byteLen) {
        shown = slot;
        long word =
                Long.MIN_VALUE
                        | (long) slot << SLOT_SHIFT
                        | (long) byteLen << BYTES_SHIFT
                        | (turn & TURN_MASK);
        mem.putLongRelease(word(side), word);
    }

    /**
     * Takes the bytes that a peer had not sent before it ended.
     *
     * @return the slot (high half) and its bytes (low half), or 0 if there is no valid word
     */
    long takePeers(ReceiveRing in) {
        long word = mem.getLongAcquire(word(1 - side));
        int slot = (int) (word >>> SLOT_SHIFT) & SLOT_MASK;
        int bytes = (int) (word >>> BYTES_SHIFT);
        boolean legal = word < 0 && in.turn(slot) == (word & TURN_MASK) && in.deliver(slot, bytes);
        return legal ? (long) slot << Integer.SIZE | bytes : 0;
    }
}
