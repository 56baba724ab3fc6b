package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.BorrowedBuffers;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The buffers of one call, one or several, that data goes to or comes from; used again by the next
 * call.
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
     * Begins a call, which {@link #clear} must end, even if this method throws. One of {@code
     * single} and {@code many} is null.
     *
     * @param parks whether the call releases the buffers' arenas while it waits, so that an arena
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

    /** Returns the buffers of a call in a form in which each can move by itself. */
    ByteBuffer[] each(BorrowedBuffers all, ByteBuffer[] many, int from, int to) {
        return many;
    }

    /** Whether any of the buffers has something remaining; false also for invalid arguments. */
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

    /**
     * Lends the buffer of the call to the stream, if there is just one and the stream wants it. The
     * caller must reclaim it before the call ends.
     */
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

    /** Throws the JDK's exception for a buffer that the operation cannot use. */
    void check(ByteBuffer buffer) {
        Objects.requireNonNull(buffer);
    }

    /** Moves bytes of one buffer, which has something remaining. */
    abstract int moveOne(ByteBuffer buffer) throws IOException;

    /**
     * Moves bytes of several buffers, of which the first has something remaining. A failure after
     * some bytes is thrown by the next call (behaviour 17).
     */
    abstract int moveSeveral(ByteBuffer[] buffers, int from, int to) throws IOException;

    /** Moves the bytes that can move now and returns their number. */
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
