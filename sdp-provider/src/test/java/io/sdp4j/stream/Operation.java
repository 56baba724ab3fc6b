package io.sdp4j.stream;

import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;

/**
 * One read or write that may wait, in steps: lends its buffers as an asynchronous channel does.
 *
 * <p>For one thread.
 */
final class Operation implements OffloadStream.Loan {
    private final OffloadStream stream;
    private final int op;
    private final ByteBuffer[] buffers;
    private boolean lent;
    long moved;

    private Operation(OffloadStream stream, int op, ByteBuffer... buffers) {
        this.stream = stream;
        this.op = op;
        this.buffers = buffers;
    }

    static Operation read(OffloadStream stream, ByteBuffer... into) {
        return new Operation(stream, OffloadStream.READ, into).begin();
    }

    static Operation write(OffloadStream stream, ByteBuffer... from) {
        return new Operation(stream, OffloadStream.WRITE, from).begin();
    }

    @Override
    public int buffers() {
        return buffers.length;
    }

    @Override
    public ByteBuffer buffer(int index) {
        return buffers[index];
    }

    private Operation begin() {
        lent = stream.wantsLoan(op, this);
        if (lent) {
            stream.lend(op, this);
        }
        return this;
    }

    /** Whether its buffers were lent before it was tried. */
    boolean lent() {
        return lent;
    }

    /** Moves what can be moved now; whether the operation is over. -1 in {@code moved}: the end. */
    boolean tried() throws IOException {
        if (op == OffloadStream.WRITE && buffers.length > 1) {
            moved += stream.tryWrite(buffers, 0, buffers.length);
            return over();
        }
        for (ByteBuffer b : buffers) {
            while (b.hasRemaining()) {
                int n = op == OffloadStream.READ ? stream.tryRead(b) : stream.tryWrite(b);
                if (n < 0 && moved == 0) {
                    moved = -1;
                }
                if (n <= 0) {
                    return over();
                }
                moved += n;
            }
        }
        return over();
    }

    private boolean over() {
        boolean room = false;
        for (ByteBuffer b : buffers) {
            room |= b.hasRemaining();
        }
        if (moved == 0 && room) {
            return false;
        }
        if (lent) {
            lent = false;
            stream.reclaim(op, false);
        }
        return true;
    }

    /** Waits for it; bytes moved or -1. */
    long get() throws IOException {
        long start = System.nanoTime();
        while (!tried()) {
            if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(20)) {
                throw new AssertionError("an operation hangs: " + stream);
            }
            stream.await(op, TimeUnit.SECONDS.toNanos(5));
        }
        return moved;
    }

    void giveUp() {
        if (lent) {
            lent = false;
            stream.reclaim(op, true);
        }
    }
}
