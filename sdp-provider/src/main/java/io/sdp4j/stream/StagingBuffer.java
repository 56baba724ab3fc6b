package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import java.nio.ByteBuffer;

/**
 * Small writes on their way into a send slot, kept together until they fill some cache lines.
 *
 * <p>A slot in shared memory was read by the peer's processor last, so that the first store to each
 * of its lines has to fetch the line from there, and the lock that is given back after each write
 * waits for that. Bytes kept here first are copied in one go, and their lines come together. They
 * are kept in the queue pair's own memory, where the peer finds them if this process ends.
 *
 * <p>Guarded by the stream's lock.
 */
final class StagingBuffer {
    private final StreamCore core;
    private final SendSlots slots;
    private final QueuePair qp;
    private final boolean useful;
    private int keptBytes;

    StagingBuffer(StreamCore core, SendSlots slots) {
        this.core = core;
        this.slots = slots;
        qp = core.qp;
        useful = qp.stagingOffset() >= 0;
    }

    /**
     * Adds to a slot, see {@link SendSlots#fill}.
     *
     * @param at where in the slot; the last bytes added, if any since {@link #settle}, end there
     */
    void add(int slot, int at, byte[] b, int off, ByteBuffer src, int n) {
        assert Thread.holdsLock(core);
        if (keptBytes + n > QueuePair.STAGING_BYTES) {
            settle(slot, at);
        }
        if (!useful || n > QueuePair.STAGING_BYTES) {
            slots.fill(slot, at, b, off, src, n, false);
            qp.unsent(slot, at + n, 0);
            return;
        }
        slots.stage(keptBytes, b, off, src, n);
        keptBytes += n;
        qp.unsent(slot, at + n - keptBytes, keptBytes);
    }

    /**
     * Makes the slot whole.
     *
     * @param end where in the slot the last added byte ends
     */
    void settle(int slot, int end) {
        assert Thread.holdsLock(core);
        if (keptBytes > 0) {
            slots.settle(slot, end - keptBytes, keptBytes);
            keptBytes = 0;
            qp.unsent(slot, end, 0);
        }
    }
}
