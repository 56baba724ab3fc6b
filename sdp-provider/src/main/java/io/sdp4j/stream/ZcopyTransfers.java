package io.sdp4j.stream;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadStream.Loan;
import io.sdp4j.wire.AbortReason;
import io.sdp4j.wire.Action;
import io.sdp4j.wire.ActionList;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Moves payload between buffers of the application without a private copy in between
 * (docs/protocol.md 6): carries out what the machine wants done with lent buffers.
 *
 * <p>Guarded by the stream's lock.
 */
final class ZcopyTransfers {
    private final StreamCore core;
    private final ActionList out;
    private final int thresholdBytes;
    private final ZcopyWrite writes;
    private final ZcopyRead reads;

    /** Payload that came in messages and was put into a lent buffer: counted by the machine. */
    private long placedBytes;

    /** Payload of SrcAvails, which the machine counts. */
    private long inlineBytes;

    private long returnedBytes;

    ZcopyTransfers(StreamCore core, StreamSettings.Zcopy settings, ActionList out) {
        this.core = core;
        this.out = out;
        this.thresholdBytes = settings.thresholdBytes();
        writes = new ZcopyWrite(core, settings, out);
        reads = new ZcopyRead(core, settings, out);
    }

    ZcopyWrite writes() {
        return writes;
    }

    ZcopyRead reads() {
        return reads;
    }

    /** Bytes received that the machine does not count. */
    long bytesRead() {
        assert Thread.holdsLock(core);
        return reads.bytes() - placedBytes;
    }

    /** Bytes sent that the machine does not count. */
    long bytesWritten() {
        assert Thread.holdsLock(core);
        return Math.max(0, returnedBytes - inlineBytes);
    }

    /** Whether the first buffer of an operation is worth a loan. Any thread. */
    boolean wants(Loan loan) {
        ByteBuffer b = firstRemaining(loan);
        return b != null && ZcopyBuffer.worthLending(b, thresholdBytes);
    }

    /** The first buffer that is not done with, or null. */
    static ByteBuffer firstRemaining(Loan loan) {
        for (int i = 0; i < loan.buffers(); i++) {
            if (loan.buffer(i).hasRemaining()) {
                return loan.buffer(i);
            }
        }
        return null;
    }

    /** Carries out a row of the action list; false if the row does not concern a lent buffer. */
    boolean carryOut(Action a) {
        assert Thread.holdsLock(core);
        switch (a.kind) {
            case ActionList.SEND_LENT -> sendLent(a);
            case ActionList.PLACE -> place(a);
            case ActionList.RDMA_READ -> read(a);
            case ActionList.RDMA_WRITE -> write(a);
            case ActionList.SOURCE_RETURNED -> {
                returnedBytes += a.bufferOffset;
                writes.onReturned(a.buffer, a.bufferOffset, a.outcome);
            }
            case ActionList.SINK_RETURNED -> reads.onReturned(a.bufferOffset);
            default -> {
                return false;
            }
        }
        return true;
    }

    private void sendLent(Action a) {
        core.outgoing.sendLent(a, writes.get(a.buffer).memory());
        inlineBytes += a.bytes;
    }

    private void place(Action a) {
        QueuePair qp = core.qp;
        long from = qp.receiveOffset(a.slot) + a.offset;
        MemorySegment to = reads.get().memory();
        MemorySegment.copy(qp.receiveMemory(), from, to, a.bufferOffset, a.bytes);
        placedBytes += a.bytes;
    }

    private void read(Action a) {
        boolean posted =
                core.qp.postRead(
                        0, reads.get().region(), a.bufferOffset, a.bytes, a.remoteAddress, a.rkey);
        if (posted && core.trace != null) {
            core.trace.rdmaRead(System.nanoTime(), a.bytes, a.rkey, a.remoteAddress);
        }
        requirePosted(posted);
    }

    private void write(Action a) {
        boolean posted =
                core.qp.postWrite(
                        0,
                        writes.get(a.buffer).region(),
                        a.bufferOffset,
                        a.bytes,
                        a.remoteAddress,
                        a.rkey);
        if (posted && core.trace != null) {
            core.trace.rdmaWrite(System.nanoTime(), a.bytes, a.rkey, a.remoteAddress);
        }
        requirePosted(posted);
    }

    /**
     * Cuts the stream if an operation was not posted, which does not happen: the machine counts
     * what it may have under way.
     */
    private void requirePosted(boolean posted) {
        if (!posted) {
            core.machine.abort(AbortReason.TRANSPORT_ERROR, out);
        }
    }

    /** An RDMA operation has succeeded. */
    void onCompleted(Completion c) {
        assert Thread.holdsLock(core);
        if (c.opcode == Completion.READ) {
            core.machine.sink().onReadsCompleted(1, out);
        } else {
            core.machine.source().onWritesCompleted(1, out);
        }
    }

    /** After progress: owed bytes leave, offers that will not be read are refused. */
    void onProgress() {
        assert Thread.holdsLock(core);
        if (writes.active()) {
            writes.sendOwed();
            writes.forgetIfGivenUp();
        }
        reads.forgetIfGivenUp();
        reads.refuse();
    }

    /** Lends what can be lent of an operation's buffers. */
    void lend(int op, Loan loan) {
        assert Thread.holdsLock(core);
        if (op == OffloadStream.READ) {
            reads.lend(loan);
        } else {
            writes.lend(loan);
        }
    }

    /**
     * Ends a loan.
     *
     * @param givenUp whether the buffers may still be touched for a while
     */
    void reclaim(int op, boolean givenUp) {
        assert Thread.holdsLock(core);
        boolean free = op == OffloadStream.READ ? reads.end() : writes.end();
        if (!free && !givenUp) {
            cut(AbortReason.TRANSPORT_ERROR); // nothing else frees them now
        }
    }

    /**
     * Cuts the stream so that nothing touches a buffer afterwards. A stream whose DisConn has left
     * sends AbortConn first, while transfers go on: here they end with the queue pair.
     */
    private void cut(AbortReason why) {
        core.machine.abort(why, out);
        core.carryOut();
        if (core.machine.sink().lent() > 0 || core.machine.source().lent() > 0) {
            core.end.cut();
        }
        reads.forgetIfGivenUp();
        writes.forgetIfGivenUp();
    }

    /** Whether work that the application has given up must be finished. */
    boolean lingers() {
        assert Thread.holdsLock(core);
        return writes.lingers() || reads.lingers();
    }

    /** The application closes and takes its buffers with it. */
    void close() {
        assert Thread.holdsLock(core);
        if (!writes.end()) {
            cut(AbortReason.LINGER_ZERO);
        }
        if (!reads.close()) {
            cut(AbortReason.UNREAD_DATA);
        }
        core.qp.forgetKeys();
    }
}
