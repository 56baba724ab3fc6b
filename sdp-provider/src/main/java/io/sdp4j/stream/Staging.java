package io.sdp4j.stream;

import java.nio.ByteBuffer;

/**
 * Small writes on their way into a send slot, kept together until they fill some cache lines.
 *
 * <p>A slot in shared memory was read by the peer's processor last, so that the first store to each
 * of its lines has to fetch the line from there, and the lock that is given back after each write
 * waits for that. What is kept here first is copied in one go, and its lines come together.
 *
 * <p>Guarded by the stream's lock.
 */
final class Staging {
    private static final int BYTES = 1024;

    private final SendSlots slots;
    private final boolean useful;

    /** Null until something is kept. */
    private byte[] kept;

    private int keptBytes;

    /**
     * @param useful whether the peer's processor reads the slots themselves
     */
    Staging(SendSlots slots, boolean useful) {
        this.slots = slots;
        this.useful = useful;
    }

    /**
     * Adds to a slot, see {@link SendSlots#fill}.
     *
     * @param at where in the slot; what was added last, if anything was since {@link #settle}, ends
     *     there
     */
    void add(int slot, int at, byte[] b, int off, ByteBuffer src, int n) {
        if (keptBytes + n > BYTES) {
            settle(slot, at);
        }
        if (!useful || n > BYTES) {
            slots.fill(slot, at, b, off, src, n, false);
            return;
        }
        if (kept == null) {
            kept = new byte[BYTES];
        }
        if (b != null) {
            System.arraycopy(b, off, kept, keptBytes, n);
        } else {
            src.get(off, kept, keptBytes, n);
        }
        keptBytes += n;
    }

    /**
     * Makes the slot whole.
     *
     * @param end where in the slot the last added byte ends
     */
    void settle(int slot, int end) {
        if (keptBytes > 0) {
            slots.fill(slot, end - keptBytes, kept, 0, null, keptBytes, false);
            keptBytes = 0;
        }
    }
}
