package io.sdp4j.fabric.shm;

import io.sdp4j.linux.MappedMemory;
import io.sdp4j.linux.Mapping;
import java.util.Arrays;

/**
 * The sending end of one direction: chooses slots, publishes descriptors and takes returned slots
 * back.
 *
 * <p>Shape: only the sender chooses slots. Free slots are on a stack, so the slot used last, which
 * is still in the cache, is used next. The stack starts with two slots. Only when no slot is free
 * and the receiver has returned none, it takes untouched slots in, doubling their number each time.
 * So a quiet connection uses the pages of two slots only. A connection that has become quiet gives
 * even those back, which is safe because only this side may touch a slot that is free here. Its
 * stack is then empty, so the first message afterwards finds no free slot and is noticed; later
 * messages cost nothing more.
 *
 * <p>Guarded by the queue pair's lock; {@code returnPosition} may be read without it. The peer
 * writes the return ring, so each entry is read once and must name a slot that is posted or a chunk
 * in use.
 */
final class SendRing {
    private static final byte UNTOUCHED = 0;
    private static final byte FREE = 1;
    private static final byte TAKEN = 2;
    private static final byte POSTED = 3;

    /** Posted, with nothing in it for the peer's application. */
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

    /** Slots are taken into use from the last one downwards. */
    private final boolean downwards;

    private final byte[] state;

    /** How often each slot has been posted. */
    private final int[] turns;

    private final int[] stack;
    private int top;
    private int window;
    private int position;

    /** {@code position} when the pages were last given back. */
    private int restedAt;

    /** Runs when the first slot is taken after everything was given back; or null. */
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

    /** Takes a free slot; -1 if there is none, after which {@link #broken} may be true. */
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
     * Gives back the pages of all slots; false if one is taken or posted.
     *
     * @param toTell runs once when the first slot is taken afterwards
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
        // also the pages that only begin or end in a slot that was never touched
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

    /** Posts a slot with {@code byteLen} bytes for the application, and publishes it. */
    void send(int slot, int byteLen) {
        if (state[slot] != TAKEN) {
            throw notTaken(slot);
        }
        state[slot] = POSTED;
        turns[slot]++;
        int p = position++;
        long phase = (long) (~(p >>> ringShift) & 1) << 63;
        long descriptor = (long) Descriptor.SEND << 56 | (long) slot << 32 | byteLen;
        mem.putLongRelease(ring + ((long) (p & ringMask) << 3), descriptor | phase);
    }

    /** How often a slot has been posted, as {@link Unsent} counts it. */
    int turn(int slot) {
        return turns[slot];
    }

    private static IllegalArgumentException notTaken(int slot) {
        return new IllegalArgumentException("send slot " + slot + " was not taken");
    }

    /** Makes {@code descriptor} and everything that was stored before visible to the receiver. */
    void publish(long descriptor) {
        int p = position++;
        long phase = (long) (~(p >>> ringShift) & 1) << 63;
        mem.putLongRelease(ring + ((long) (p & ringMask) << 3), descriptor | phase);
    }

    /**
     * Takes back the slots and chunks that the receiver returned. Always ends soon: an entry that
     * names nothing that is posted or in use breaks the connection.
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
     * Whether {@link #drainReturns} would find something. Any thread; may be stale, as {@link
     * ReceiveRing#present}.
     */
    boolean returned() {
        int p = returnPosition;
        int entry = mem.getIntAcquire(returns + ((long) (p & returnMask) << 2));
        return ((entry >>> 31 ^ p >>> returnShift) & 1) != 0;
    }

    /**
     * Counts the messages that the receiver's application has not read, after a last look at the
     * ring.
     *
     * @param read the slot that the application has read and not returned, or -1
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

    /** Whether the receiver returned a slot or chunk that it did not have. */
    boolean broken() {
        return broken;
    }

    @Override
    public String toString() {
        return "slots " + Arrays.toString(state) + ", published " + position;
    }
}
