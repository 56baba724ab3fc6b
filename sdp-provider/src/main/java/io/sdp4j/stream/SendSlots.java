package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The only way of an application's bytes into send slots. For the thread that has taken the slot;
 * no lock.
 */
final class SendSlots {
    private final QueuePair qp;
    private final MemorySegment memory;
    private final ByteBuffer view;

    SendSlots(QueuePair qp) {
        this.qp = qp;
        this.memory = qp.sendMemory();
        this.view = memory.asByteBuffer();
    }

    /**
     * Copies from the array, or if that is null from absolute positions of the buffer.
     *
     * @param at where in the slot
     * @param past past the processor's cache, see {@link QueuePair#writePast}
     */
    void fill(int slot, int at, byte[] b, int off, ByteBuffer src, int n, boolean past) {
        long to = qp.sendOffset(slot) + at;
        if (past && b != null) {
            qp.writePast(slot, at, b, off, n);
        } else if (past) {
            qp.writePast(slot, at, src, off, n);
        } else {
            copy(to, b, off, src, n);
        }
    }

    private void copy(long to, byte[] b, int off, ByteBuffer src, int n) {
        if (b != null) {
            qp.copyIn(b, off, to, n);
        } else {
            view.put((int) to, src, off, n);
        }
    }

    /** As {@link #fill}, to {@link QueuePair#stagingOffset}. */
    void stage(int at, byte[] b, int off, ByteBuffer src, int n) {
        copy(qp.stagingOffset() + at, b, off, src, n);
    }

    /** Copies what was staged into a slot. */
    void settle(int slot, int at, int n) {
        MemorySegment.copy(memory, qp.stagingOffset(), memory, qp.sendOffset(slot) + at, n);
    }
}
