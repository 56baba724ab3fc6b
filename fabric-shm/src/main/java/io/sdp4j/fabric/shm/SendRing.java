package io.sdp4j.fabric.shm;

import io.sdp4j.linux.MappedMemory;
import io.sdp4j.linux.Mapping;
import java.util.Arrays;

/**
 * The sending end of one direction: chooses slots, publishes descriptors, takes returned slots
 * back.
 *
 * <p>Shape: slot choice is the sender's alone. Free slots are a stack, so the slot used last, still
 * in the cache, is used next; the stack starts with two slots and takes in untouched ones, twice as
 * many each time, only when none is free and the receiver has returned none. A quiet connection
 * thus keeps to two slots' pages, and one that has become quiet gives even those back: only this
 * side may touch a slot that is free here. It then has an empty stack, so that the first message
 * after that, which finds none free, is noticed and the others cost nothing more.
 *
 * <p>Everything is guarded by the queue pair's lock; {@code returnPosition} may be read without it.
 * Entries of the return ring are the peer's word: each is read once and must name a slot that is
 * out.
 */
final class SendRing {
    private static final byte UNTOUCHED = 0;
    private static final byte FREE = 1;
    private static final byte TAKEN = 2;
    private static final byte POSTED = 3;

    /** Posted, and nothing in it for the application. */
    private static final byte POSTED_CONTROL = 4;

    private static final int FIRST_WINDOW = 2;

    private final MappedMemory mem;
    private final int slots;
    private final long ring;
    private final int ringMask;
    private final int ringShift;
    private final long returns;
    private final int returnMask;
    private final int returnShift;
    private final long data;
    private final int stride;
    private final int pageBytes;

    /** Slots are taken into use from the last one on. */
    private final boolean downwards;

    private final byte[] state;

    /** How often each slot has been posted. */
    private final int[] turns;

    private final int[] stack;
    private int top;
    private int window;
    private int position;

    /** {@code position} when the pages were given back last. */
    private int restedAt;

    /** Told when the first slot is taken after all was given back, or null. */
    private Runnable onUse;

    private int returnPosition;
    private boolean broken;

    SendRing(ShmLayout layout, int direction, MappedMemory mem) {
        this.mem = mem;
        slots = layout.slots[direction];
        ring = layout.ring[direction];
        ringMask = layout.ringEntries[direction] - 1;
        ringShift = Integer.numberOfTrailingZeros(layout.ringEntries[direction]);
        returns = layout.returns[direction];
        returnMask = layout.returnEntries[direction] - 1;
        returnShift = Integer.numberOfTrailingZeros(layout.returnEntries[direction]);
        data = layout.data[direction];
        stride = layout.stride[direction];
        pageBytes = layout.pageBytes;
        downwards = direction == 1;
        state = new byte[slots];
        turns = new int[slots];
        stack = new int[slots];
        widen(FIRST_WINDOW);
    }

    /** A free slot, or -1; after -1 {@link #broken} may have become true. */
    int take(RdmaEngine rdma) {
        if (top == 0) {
            drainReturns(rdma);
            if (top == 0 && !broken) {
                widen(Math.max(window, FIRST_WINDOW));
                tellUse();
            }
            if (top == 0) {
                return -1;
            }
        }
        int slot = stack[--top];
        state[slot] = TAKEN;
        return slot;
    }

    private void tellUse() {
        Runnable told = onUse;
        if (told != null) {
            onUse = null;
            told.run();
        }
    }

    /**
     * Gives back the pages of all slots; false if one is taken or out.
     *
     * @param toTell told, once, of the first slot that is taken afterwards
     */
    boolean trim(RdmaEngine rdma, Runnable toTell) {
        drainReturns(rdma);
        if (broken) {
            return true;
        }
        if (top != window) {
            return false;
        }
        if (position != restedAt) {
            restedAt = position;
            giveBackPages();
        }
        Arrays.fill(state, UNTOUCHED);
        top = 0;
        window = 0;
        onUse = toTell;
        return true;
    }

    private void giveBackPages() {
        // with all of the pages that begin or end in a slot which was never touched
        long untouched = downwards ? (long) (slots - window) * stride : 0;
        long from = (data + untouched) / pageBytes * pageBytes;
        long to = ShmLayout.align(data + (long) (downwards ? slots : window) * stride, pageBytes);
        Mapping.giveBack(mem.segment(), from, to - from);
    }

    private void widen(int by) {
        int to = Math.min(slots, window + by);
        for (int i = to - 1; i >= window; i--) {
            int slot = downwards ? slots - 1 - i : i;
            assert state[slot] == UNTOUCHED;
            state[slot] = FREE;
            stack[top++] = slot;
        }
        window = to;
    }

    void giveBack(int slot) {
        if (state[slot] != TAKEN) {
            throw notTaken(slot);
        }
        state[slot] = FREE;
        stack[top++] = slot;
    }

    void post(int slot, boolean control) {
        if (state[slot] != TAKEN) {
            throw notTaken(slot);
        }
        state[slot] = control ? POSTED_CONTROL : POSTED;
        turns[slot]++;
    }

    /** How often a slot has been posted, as {@link Unsent} counts it. */
    int turn(int slot) {
        return turns[slot];
    }

    private static IllegalArgumentException notTaken(int slot) {
        return new IllegalArgumentException("send slot " + slot + " was not taken");
    }

    /** Makes {@code descriptor} and all that was stored before it visible to the receiver. */
    void publish(long descriptor) {
        int p = position++;
        long phase = (long) (~(p >>> ringShift) & 1) << 63;
        mem.putLongRelease(ring + ((long) (p & ringMask) << 3), descriptor | phase);
    }

    /**
     * Takes back what the receiver returned. Ends soon whatever the ring holds: an entry that does
     * not name something that is out breaks the connection.
     */
    void drainReturns(RdmaEngine rdma) {
        int p = returnPosition;
        while (!broken) {
            int entry = mem.getIntAcquire(returns + ((long) (p & returnMask) << 2));
            if (((entry >>> 31 ^ p >>> returnShift) & 1) == 0) {
                break;
            }
            p++;
            int id = entry & Integer.MAX_VALUE;
            if (id < slots && state[id] >= POSTED) {
                state[id] = FREE;
                stack[top++] = id;
            } else if (id < slots || rdma == null || !rdma.chunks.returned(id - slots)) {
                broken = true;
            }
        }
        returnPosition = p;
    }

    /**
     * Whether {@link #drainReturns} would find something. Any thread; as {@link
     * ReceiveRing#present}.
     */
    boolean returned() {
        int p = returnPosition;
        int entry = mem.getIntAcquire(returns + ((long) (p & returnMask) << 2));
        return ((entry >>> 31 ^ p >>> returnShift) & 1) != 0;
    }

    /**
     * Messages that the receiver's application has not read, after a last look at the ring.
     *
     * @param read the slot that it has read and not returned, or -1
     */
    int unread(RdmaEngine rdma, int read) {
        drainReturns(rdma);
        int count = 0;
        for (int slot = 0; slot < slots; slot++) {
            if (state[slot] == POSTED && slot != read) {
                count++;
            }
        }
        return count;
    }

    /** Whether the receiver returned something it did not have. */
    boolean broken() {
        return broken;
    }

    @Override
    public String toString() {
        return "slots " + Arrays.toString(state) + ", published " + position;
    }
}
