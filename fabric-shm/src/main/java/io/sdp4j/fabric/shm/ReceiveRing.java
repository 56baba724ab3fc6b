package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.linux.MappedMemory;

/**
 * The receiving end of one direction: reads descriptors and returns slots.
 *
 * <p>Guarded by the queue pair's lock; {@link #present} and {@link #taken} may be called without
 * it. A descriptor is read once; after that only the copy is used.
 */
final class ReceiveRing {
    /** No kind: there is no descriptor. */
    static final int NONE = -1;

    private final MappedMemory mem;
    private final int slots;
    private final int slotBytes;
    private final long ring;
    private final int ringMask;
    private final int ringShift;
    private final long returns;
    private final int returnMask;
    private final int returnShift;

    /**
     * Slots that belong to the caller now. All others are posted, so the peer may send into them.
     */
    private final boolean[] delivered;

    /** How often each slot has been delivered. */
    private final int[] turns;

    private int position;
    private int returnPosition;

    ReceiveRing(ShmLayout layout, int direction, MappedMemory mem) {
        this.mem = mem;
        slots = layout.slots[direction];
        slotBytes = layout.slotBytes[direction];
        ring = layout.ring[direction];
        ringMask = layout.ringEntries[direction] - 1;
        ringShift = Integer.numberOfTrailingZeros(layout.ringEntries[direction]);
        returns = layout.returns[direction];
        returnMask = layout.returnEntries[direction] - 1;
        returnShift = Integer.numberOfTrailingZeros(layout.returnEntries[direction]);
        delivered = new boolean[slots];
        turns = new int[slots];
    }

    /**
     * Whether {@link #next} would find something. Any thread; the answer may be stale, but a caller
     * that asks again reads the position again, because the acquire load of the ring comes between.
     */
    boolean present() {
        int p = position;
        long d = mem.getLongAcquire(ring + ((long) (p & ringMask) << 3));
        return ((d >>> 63 ^ p >>> ringShift) & 1) != 0;
    }

    /**
     * How many descriptors {@link #next} has found. Any thread; may be stale, as {@link #present}.
     */
    int taken() {
        return position;
    }

    /**
     * Takes the next descriptor. The slot of a message belongs to the caller from now on.
     *
     * @param into gets index and length of the descriptor as {@code slot} and {@code byteLen}
     * @return its kind; {@link #NONE} if there is none, 0 for a message that may not be there
     */
    int next(Completion into) {
        int p = position;
        long d = mem.getLongAcquire(ring + ((long) (p & ringMask) << 3));
        if (((d >>> 63 ^ p >>> ringShift) & 1) == 0) {
            return NONE;
        }
        position = p + 1;
        int kind = (int) (d >>> 56) & 15; // no calls: often interpreted
        into.slot = (int) (d >>> 32) & 0xFFFF;
        into.byteLen = (int) d;
        return kind != Descriptor.SEND || deliver(into.slot, into.byteLen) ? kind : 0;
    }

    /** Takes a slot with a message of the peer; false if that may not be there. */
    boolean deliver(int slot, int byteLen) {
        if (slot >= slots || delivered[slot] || byteLen < 0 || byteLen > slotBytes) {
            return false;
        }
        delivered[slot] = true;
        turns[slot]++;
        return true;
    }

    /**
     * How often a slot has been delivered, modulo the turns of {@link Unsent}; -1 = no such slot.
     */
    int turn(int slot) {
        return slot < slots ? turns[slot] & Unsent.TURN_MASK : -1;
    }

    void post(int slot) {
        if (!delivered[slot]) {
            throw new IllegalArgumentException("receive slot " + slot + " is posted already");
        }
        delivered[slot] = false;
        giveBack(slot);
    }

    void returnChunk(int chunk) {
        giveBack(slots + chunk);
    }

    private void giveBack(int id) {
        int p = returnPosition++;
        int phase = (~(p >>> returnShift) & 1) << 31;
        mem.putIntRelease(returns + ((long) (p & returnMask) << 2), id | phase);
    }
}
