package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import java.nio.ByteBuffer;

/**
 * The only way of an application's bytes into send slots. For the thread that has taken the slot;
 * no lock.
 */
final class SendSlots {
    private final QueuePair qp;
    private final ByteBuffer view;

    SendSlots(QueuePair qp) {
        this.qp = qp;
        this.view = qp.sendMemory().asByteBuffer();
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
        } else if (b != null) {
            qp.copyIn(b, off, to, n);
        } else {
            view.put((int) to, src, off, n);
        }
        if (b == null) {
            StreamErrors.awaitFault(src);
        }
    }
}
