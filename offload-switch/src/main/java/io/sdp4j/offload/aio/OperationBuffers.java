package io.sdp4j.offload.aio;

import io.sdp4j.offload.jdk.BorrowedBuffers;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The buffers of one operation at a time, which the application has lent to it; moves bytes between
 * them and the stream. Confined to the thread that tries or has claimed the operation.
 */
final class OperationBuffers implements OffloadStream.Loan {
    private final boolean reading;
    private final BorrowedBuffers borrowed = new BorrowedBuffers();
    private ByteBuffer buffer; // null if there are several
    private ByteBuffer[] buffers;
    private IOException deferred; // came after bytes that had moved already

    OperationBuffers(boolean reading) {
        this.reading = reading;
    }

    /**
     * Takes the buffers; {@code one} or {@code many} is null. The caller calls {@link #end} later,
     * even if this throws.
     */
    void take(ByteBuffer one, ByteBuffer[] many) {
        if (many == null) {
            borrowed.borrow(one, true);
            buffer = one;
            return;
        }
        for (ByteBuffer b : many) {
            borrowed.borrow(b, true);
        }
        buffers = reading ? many : borrowed.apart(many, 0, many.length);
    }

    void end() {
        borrowed.giveBack();
        buffer = null;
        buffers = null;
    }

    boolean several() {
        return buffers != null;
    }

    @Override
    public int buffers() {
        return buffers == null ? 1 : buffers.length;
    }

    @Override
    public ByteBuffer buffer(int index) {
        return buffers == null ? buffer : buffers[index];
    }

    boolean anyRoom() {
        for (int i = 0; i < buffers(); i++) {
            if (buffer(i).hasRemaining()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Moves the bytes that can be moved now, with one outcome for all buffers. An exception that
     * comes after bytes is thrown by the next call.
     */
    long move(OffloadStream stream) throws IOException {
        if (deferred != null) {
            IOException e = deferred;
            deferred = null;
            throw e;
        }
        if (!reading && buffers != null) {
            return stream.tryWrite(buffers, 0, buffers.length);
        }
        long sum = 0;
        for (int i = 0; i < buffers(); i++) {
            ByteBuffer b = buffer(i);
            if (b.hasRemaining()) {
                int n;
                try {
                    n = reading ? stream.tryRead(b) : stream.tryWrite(b);
                } catch (IOException e) {
                    if (sum == 0) {
                        throw e;
                    }
                    deferred = e;
                    return sum;
                }
                if (n < 0) {
                    return sum == 0 ? -1 : sum; // the next call gets the end again
                }
                sum += n;
                if (b.hasRemaining()) {
                    return sum;
                }
            }
        }
        return sum;
    }
}
