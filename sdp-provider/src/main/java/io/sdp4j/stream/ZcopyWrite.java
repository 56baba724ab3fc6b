package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadStream.Loan;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.SourceSide;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * The buffers of one write, borrowed for the peer to read.
 *
 * <p>Shape: a prefix of the operation's buffers, large and direct all of them, is lent at once, so
 * the peer can have several to read. The operation is over when all have come back and the parts
 * that the peer wanted as Data have been sent from them. The thread that makes progress copies
 * these parts under the stream's lock: they are owed, no matter how the operation ends.
 *
 * <p>A peer that does not read gets no loans for a while: twice as many writes are copied after
 * each time that it wanted all as Data.
 *
 * <p>Guarded by the stream's lock.
 */
final class ZcopyWrite {
    private final StreamCore core;
    private final ActionList out;
    private final int thresholdBytes;
    private final int maxPause;
    private final ZcopyBuffer[] lent;
    private int count;
    private boolean active;
    private boolean givenUp;
    private boolean allRefused;
    private int pause = 1;
    private int skip;

    ZcopyWrite(StreamCore core, StreamSettings.Zcopy settings, ActionList out) {
        this.core = core;
        this.out = out;
        this.thresholdBytes = settings.thresholdBytes();
        this.maxPause = settings.pauseWrites();
        lent = new ZcopyBuffer[settings.buffers()];
        for (int i = 0; i < lent.length; i++) {
            lent[i] = new ZcopyBuffer();
        }
    }

    boolean active() {
        assert Thread.holdsLock(core);
        return active;
    }

    /** Whether the next write may lend its buffers. Once for each write. */
    boolean mayLend() {
        assert Thread.holdsLock(core);
        if (active) {
            return false;
        }
        if (skip > 0) {
            skip--;
            return false;
        }
        return true;
    }

    /** Lends what can be lent of an operation's buffers. */
    void lend(Loan loan) {
        assert Thread.holdsLock(core);
        count = 0;
        givenUp = false;
        allRefused = true;
        int bytes = 0; // one write reports all of them
        for (int i = 0; i < loan.buffers() && count < lent.length; i++) {
            ByteBuffer b = loan.buffer(i);
            if (b.hasRemaining()) {
                if (b.remaining() > Integer.MAX_VALUE - bytes || !lend(b)) {
                    break;
                }
                bytes += b.remaining();
            }
        }
        active = count > 0;
        core.carryOut();
        sendOwed(); // it may have come back at once, and no progress need follow
    }

    private boolean lend(ByteBuffer b) {
        assert Thread.holdsLock(core);
        ZcopyBuffer next = lent[count];
        if (!ZcopyBuffer.worthLending(b, thresholdBytes)
                || !next.register(core.qp, b, true, false)) {
            return false;
        }
        if (count == 0) {
            core.coalescer.flush(); // it comes before what is lent
        }
        long address = next.region().address();
        count++; // before the event, which may already advertise it
        SourceSide machine = core.machine.source();
        if (!machine.lend(count - 1, next.lenBytes(), next.region().rkey(), address, out)) {
            count--;
            next.forget();
            return false;
        }
        return true;
    }

    ZcopyBuffer get(int buffer) {
        return lent[buffer];
    }

    void onReturned(int buffer, long doneBytes, int outcome) {
        assert Thread.holdsLock(core);
        ZcopyBuffer b = lent[buffer];
        b.back(doneBytes, core.machine.closed());
        b.owed = outcome == ActionList.COPY && doneBytes < b.lenBytes();
        allRefused &= outcome == ActionList.COPY && doneBytes * 2 < b.lenBytes();
        wakeIfSettled();
    }

    /** Sends what the peer wants as Data, as far as it can be sent now. */
    void sendOwed() {
        assert Thread.holdsLock(core);
        for (int i = 0; i < count; i++) {
            ZcopyBuffer b = lent[i];
            boolean any = b.owed;
            while (b.owed) {
                int slot = core.slots.reserveNow();
                if (slot < 0) {
                    return;
                }
                int n = (int) Math.min(b.lenBytes() - b.done, core.slots.payloadLimit());
                QueuePair qp = core.qp;
                long to = qp.sendOffset(slot) + Bsdh.BYTES;
                MemorySegment.copy(b.memory(), b.done, qp.sendMemory(), to, n);
                if (!core.slots.send(slot, n, false)) {
                    b.owed = false; // cut
                    return;
                }
                b.done += n;
                b.owed = b.done < b.lenBytes();
            }
            if (any) {
                wakeIfSettled();
            }
        }
    }

    private void wakeIfSettled() {
        if (settled()) {
            core.wake(OffloadStream.WRITE);
        }
    }

    /** Whether the buffers are still needed although the operation was given up. */
    boolean lingers() {
        assert Thread.holdsLock(core);
        return active && givenUp;
    }

    /** Whether no buffer is away or owed any more. */
    boolean settled() {
        assert Thread.holdsLock(core);
        for (int i = 0; i < count; i++) {
            if (lent[i].away() || (lent[i].owed && !core.machine.reset())) {
                return false;
            }
        }
        return true;
    }

    /** Whether a write has something to report. */
    boolean untold() {
        assert Thread.holdsLock(core);
        for (int i = 0; i < count; i++) {
            if (lent[i].untold()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Result of a write of {@code b}.
     *
     * @return bytes, 0 = wait; -1 = {@code b} is not lent, or all was told
     */
    int moved(ByteBuffer b) {
        assert Thread.holdsLock(core);
        if (!active) {
            return -1;
        }
        if (!settled()) {
            return 0;
        }
        for (int i = 0; i < count; i++) {
            if (lent[i].holds(b) && lent[i].untold()) {
                return lent[i].tell();
            }
        }
        return -1;
    }

    /**
     * The operation is over, or given up.
     *
     * @return whether the buffers are free; if not, and they must be, the stream is to be cut
     */
    boolean end() {
        assert Thread.holdsLock(core);
        if (!active) {
            return true;
        }
        if (!settled()) {
            givenUp = true;
            core.machine.source().recall(out);
            core.carryOut();
        }
        forgetIfOver();
        return !active;
    }

    /** Forgets a loan that was given up as soon as everything is back. */
    void forgetIfGivenUp() {
        assert Thread.holdsLock(core);
        if (active && givenUp) {
            forgetIfOver();
        }
    }

    private void forgetIfOver() {
        if (!settled()) {
            return;
        }
        for (int i = 0; i < count; i++) {
            lent[i].forget();
        }
        count = 0;
        active = false;
        givenUp = false;
        skip = allRefused ? pause : 0;
        pause = allRefused ? Math.min(2 * pause, maxPause) : 1;
    }
}
