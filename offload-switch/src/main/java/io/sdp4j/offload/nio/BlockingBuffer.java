package io.sdp4j.offload.nio;

import io.sdp4j.offload.spi.OffloadStream;
import java.nio.ByteBuffer;

/**
 * The buffer of one blocking read or write, which the stream may borrow while the operation lasts.
 * For the holder of its direction's lock; used again by the next operation.
 */
final class BlockingBuffer implements OffloadStream.Loan {
    private final OffloadStream stream;
    private final int op;
    private ByteBuffer buffer;

    BlockingBuffer(OffloadStream stream, int op) {
        this.stream = stream;
        this.op = op;
    }

    /** Lends it, if the stream wants that; then {@link #end} must follow. */
    boolean lend(ByteBuffer b) {
        buffer = b;
        boolean wanted = b.isDirect() && stream.wantsLoan(op, this);
        if (wanted) {
            stream.lend(op, this);
        } else {
            buffer = null;
        }
        return wanted;
    }

    /** The operation is over: nothing touches the buffer any more. */
    void end() {
        stream.reclaim(op, false);
        buffer = null;
    }

    @Override
    public int buffers() {
        return 1;
    }

    @Override
    public ByteBuffer buffer(int index) {
        return buffer;
    }
}
