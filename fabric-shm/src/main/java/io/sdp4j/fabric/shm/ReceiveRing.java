package io.sdp4j.fabric.shm;

import io.sdp4j.linux.MappedMemory;

/**
 * The receiving end of one direction: reads descriptors, returns slots.
 *
 * <p>Guarded by the queue pair's lock; {@link #present} may be called without it. A descriptor is
 * read once, then only its copy is looked at.
 */
final class ReceiveRing {
    private final MappedMemory mem;
    private final int slots;
    private final int slotBytes;
    private final long ring;
    private final int ringMask;
    private final int ringShift;
    private final long returns;
    private final int returnMask;
    private final int returnShift;

    /** Slots that are the caller's now; all others are posted, so the peer may send into them. */
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
     * Whether {@link #next} would find something. Any thread; may be stale, but a caller that asks
     * again sees the position anew, because a load of the ring with acquire comes between.
     */
    boolean present() {
        int p = position;
        long d = mem.getLongAcquire(ring + ((long) (p & ringMask) << 3));
        return ((d >>> 63 ^ p >>> ringShift) & 1) != 0;
    }

    /** How many descriptors {@link #next} has found; for any thread, as {@link #present}. */
    int taken() {
        return position;
    }

    /** The next descriptor with its phase bit set, or 0. */
    long next() {
        int p = position;
        long d = mem.getLongAcquire(ring + ((long) (p & ringMask) << 3));
        if (((d >>> 63 ^ p >>> ringShift) & 1) == 0) {
            return 0;
        }
        position = p + 1;
        return d | Long.MIN_VALUE;
    }

    /** Whether a SEND descriptor may be believed; if so its slot is the caller's from now on. */
    boolean deliver(int slot, int byteLen) {
        if (slot >= slots || delivered[slot] || byteLen < 0 || byteLen > slotBytes) {
            return false;
        }
        delivered[slot] = true;
        turns[slot]++;
        return true;
    }

    /** How often a slot has been delivered, as {@link Unsent} counts it; -1 = no such slot. */
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
