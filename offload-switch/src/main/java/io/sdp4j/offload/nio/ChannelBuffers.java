package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.BorrowedBuffers;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Where the data of one call goes to or comes from, in one buffer or several; used again by the
 * next call.
 *
 * <p>Guarded by the data lock of its direction.
 */
abstract class ChannelBuffers implements OffloadStream.Loan {
    private ByteBuffer one; // null if there are several
    private ByteBuffer[] several;
    private int at;
    private int end;
    private final BorrowedBuffers borrowed = new BorrowedBuffers();

    /**
     * Begins a call, which {@link #clear} ends, also where this throws; one of the two is null.
     *
     * @param parks whether the call gives its buffers up while it waits: then an arena of theirs
     *     may be closed meanwhile, as in the JDK
     */
    final void of(ByteBuffer single, ByteBuffer[] many, int offset, int length, boolean parks) {
        if (single != null) {
            check(single);
            if (single.hasRemaining()) {
                borrowed.borrow(single, false);
            }
            one = single;
        } else {
            for (int i = offset; i < offset + length; i++) {
                check(many[i]);
                borrowed.borrow(many[i], false);
            }
            several = each(borrowed, many, offset, offset + length);
            at = offset;
            end = offset + length;
        }
        if (parks) {
            borrowed.releaseArenas();
        }
    }

    /** The buffers of a call, each of which moves by itself. */
    ByteBuffer[] each(BorrowedBuffers all, ByteBuffer[] many, int from, int to) {
        return many;
    }

    /** Whether any of these has something remaining; false also for what is wrong with them. */
    static boolean any(ByteBuffer[] many, int offset, int length) {
        if (many == null || offset < 0 || length < 0 || offset > many.length - length) {
            return false;
        }
        boolean any = false;
        for (int i = offset; i < offset + length; i++) {
            if (many[i] == null) {
                return false;
            }
            any |= many[i].hasRemaining();
        }
        return any;
    }

    /** Lends one buffer to the stream, if that wants it: it is to be reclaimed before the end. */
    final boolean lend(OffloadStream stream, int op) {
        boolean lent = one != null && one.isDirect() && stream.wantsLoan(op, this);
        if (lent) {
            stream.lend(op, this);
        }
        return lent;
    }

    @Override
    public final int buffers() {
        return 1;
    }

    @Override
    public final ByteBuffer buffer(int index) {
        return one;
    }

    final void clear() {
        borrowed.giveBack();
        one = null;
        several = null;
        end = 0;
        at = 0;
    }

    /** Throws what the JDK throws for a buffer that will not do. */
    void check(ByteBuffer buffer) {
        Objects.requireNonNull(buffer);
    }

    /** For one buffer, which has something remaining. */
    abstract int moveOne(ByteBuffer buffer) throws IOException;

    /**
     * For several, of which the first has something remaining; a failure after some bytes is told
     * by the next call (behaviour 17).
     */
    abstract int moveSeveral(ByteBuffer[] buffers, int from, int to) throws IOException;

    /** Bytes that move now; 0 = none. */
    final int move() throws IOException {
        if (one != null) {
            return one.hasRemaining() ? moveOne(one) : 0;
        }
        return more() ? moveSeveral(several, at, end) : 0;
    }

    /** Whether there is anything left to move. */
    final boolean more() {
        if (one != null) {
            return one.hasRemaining();
        }
        while (at < end && !several[at].hasRemaining()) {
            at++;
        }
        return at < end;
    }
}
