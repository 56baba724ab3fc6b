package io.sdp4j.stream;

import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadStream.Loan;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.SinkSide;
import java.nio.ByteBuffer;

/**
 * The buffer of a waiting read, borrowed to be filled by RDMA, and the handling of the peer's
 * offers when none is lent.
 *
 * <p>Shape: the first buffer of the operation that has room, if it is large and direct. It comes
 * back when something was read into it, or when there is something to be copied; so a read never
 * waits for more than arrives.
 *
 * <p>An offer of the peer is kept for a reader that lends. If the reader has read without lending,
 * or never read, the offer is refused at once and comes as Data: else both sides would wait.
 *
 * <p>Guarded by the stream's lock.
 */
final class ZcopyRead {
    private final StreamCore core;
    private final ActionList out;
    private final int thresholdBytes;
    private final boolean offers;
    private final ZcopyBuffer lent = new ZcopyBuffer();
    private boolean active;
    private boolean givenUp;

    /** The last read has lent its buffer. */
    private boolean readerLends;

    /** Bytes that came by loans, told or not. */
    private long bytes;

    ZcopyRead(StreamCore core, StreamSettings.Zcopy settings, ActionList out) {
        this.core = core;
        this.out = out;
        this.thresholdBytes = settings.thresholdBytes();
        this.offers = settings.offers();
    }

    boolean active() {
        assert Thread.holdsLock(core);
        return active;
    }

    private SinkSide machine() {
        return core.machine.sink();
    }

    long bytes() {
        assert Thread.holdsLock(core);
        return bytes;
    }

    /** Lends the buffer of a waiting read; all that was delivered has been read. */
    void lend(Loan loan) {
        assert Thread.holdsLock(core);
        ByteBuffer b = ZcopyTransfers.firstRemaining(loan);
        if (active || b == null || !ZcopyBuffer.worthLending(b, thresholdBytes)) {
            return;
        }
        readerLends = lent.register(core.qp, b, false, offers);
        if (!readerLends) {
            refuse(); // an offer that cannot be read is wanted as Data
            return;
        }
        givenUp = false;
        active = true; // before the event, which may already fill it
        long address = lent.region().address();
        if (!machine().lend(0, lent.lenBytes(), lent.region().rkey(), address, offers, out)) {
            active = false;
            lent.forget();
        }
        core.carryOut();
    }

    ZcopyBuffer get() {
        return lent;
    }

    void onReturned(long doneBytes) {
        assert Thread.holdsLock(core);
        lent.back(doneBytes, core.machine.closed());
        bytes += doneBytes;
        core.wake(OffloadStream.READ);
    }

    /** See {@link ZcopyWrite#lingers}. */
    boolean lingers() {
        assert Thread.holdsLock(core);
        return active && givenUp;
    }

    /** Whether a read has something to report. */
    boolean ready() {
        assert Thread.holdsLock(core);
        return active && !lent.away() && lent.untold();
    }

    /** Whether an offer waits for a reader. */
    boolean offered() {
        assert Thread.holdsLock(core);
        return !active && machine().offeredBytes() > 0;
    }

    /**
     * Result of a read into {@code b}.
     *
     * @return bytes, 0 = wait; -1 = nothing: read what was delivered
     */
    int moved(ByteBuffer b) {
        assert Thread.holdsLock(core);
        if (!active) {
            return -1;
        }
        if (lent.away() && core.machine.reset()) {
            core.end.cut(); // else it stays away until AbortConn has left, and a reader spins
        }
        if (lent.away()) {
            return 0;
        }
        return lent.holds(b) && lent.untold() ? lent.tell() : -1;
    }

    /** A read that did not lend has found nothing. */
    void onPlainRead() {
        assert Thread.holdsLock(core);
        if (!active) {
            readerLends = false;
            refuse();
        }
    }

    /** Asks for offers as Data that would not be read otherwise. */
    void refuse() {
        assert Thread.holdsLock(core);
        while (!readerLends && !active && machine().offeredBytes() > 0) {
            machine().refuse(out);
            core.carryOut();
        }
    }

    /** See {@link ZcopyWrite#end}. */
    boolean end() {
        assert Thread.holdsLock(core);
        if (!active) {
            return true;
        }
        if (lent.away()) {
            givenUp = true;
            machine().recall(out);
            core.carryOut();
        }
        forgetIfOver();
        return !active;
    }

    void forgetIfGivenUp() {
        assert Thread.holdsLock(core);
        if (active && givenUp) {
            forgetIfOver();
        }
    }

    private void forgetIfOver() {
        if (!lent.away()) {
            lent.forget();
            active = false;
            givenUp = false;
        }
    }

    /** As {@link #end}; no thread reads any more. */
    boolean close() {
        assert Thread.holdsLock(core);
        readerLends = false;
        return end();
    }
}
