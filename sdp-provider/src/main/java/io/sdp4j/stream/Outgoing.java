package io.sdp4j.stream;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QueuePair;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.trace.ConnectionTrace;
import io.sdp4j.wire.AbortReason;
import io.sdp4j.wire.Action;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.SdpMachine;
import java.lang.foreign.MemorySegment;

/**
 * Posts the messages of an action list, and tells the machine which have left. Guarded by the
 * stream's lock.
 */
final class Outgoing {
    private static final int FIRST_MIDS = 64;

    private final StreamCore core;
    private final SdpMachine machine;
    private final QueuePair qp;
    private final ConnectionTrace trace;
    private final ActionList actions;
    private final MemorySegment sendMemory;

    private final SolicitedEventPolicy marks = new SolicitedEventPolicy();
    private final boolean bursts;
    private boolean followed;
    private boolean noLoss;

    /** MIDs of signalled control messages under way, by send slot; null until the first one. */
    private int[] controlMids;

    Outgoing(StreamCore core, Established open, ActionList actions) {
        this.core = core;
        this.machine = open.machine();
        this.qp = open.qp();
        this.trace = open.trace();
        this.actions = actions;
        this.sendMemory = qp.sendMemory();
        this.bursts = qp.peerSleepsThroughMore();
    }

    /** Posts a filled slot. */
    void send(Action a) {
        assert Thread.holdsLock(core);
        int slot = a.slot;
        qp.putHeader(slot, a.first, a.second);
        int flags = noLoss ? QueuePair.CONTROL : 0;
        if (bursts && !marks.next(followed)) {
            flags |= QueuePair.MORE;
        }
        followed = false;
        post(slot, a.messageBytes(), flags);
    }

    private void post(int slot, int byteLen, int flags) {
        if (trace != null) {
            trace.message(System.nanoTime(), false, sendMemory, qp.sendOffset(slot), byteLen);
        }
        qp.postSend(slot, byteLen, flags);
    }

    private void writeHeader(Action a, int slot) {
        qp.putHeader(slot, a.first, a.second);
        a.writeExtended(sendMemory, qp.sendOffset(slot) + Bsdh.BYTES);
    }

    /** Sets whether the next messages hold nothing that the peer's application reads. */
    void unreadIsNoLoss(boolean is) {
        assert Thread.holdsLock(core);
        noLoss = is;
    }

    /** Sets whether another message soon follows the next one. */
    void followed(boolean is) {
        assert Thread.holdsLock(core);
        followed = is;
    }

    /** A thread or a selector is about to wait for the peer: nothing may keep that one asleep. */
    void wakePeer() {
        assert Thread.holdsLock(core);
        if (marks.owed() && machine.sendEmpty(actions)) {
            marks.onPaid();
            core.carryOut();
        }
    }

    /** Posts a message without payload. */
    void control(Action a) {
        assert Thread.holdsLock(core);
        int slot = takeSlot();
        if (slot < 0) {
            return;
        }
        int flags = QueuePair.CONTROL;
        if ((a.flags & ActionList.QUIET) != 0) {
            flags |= QueuePair.QUIET;
        }
        if ((a.flags & ActionList.SIGNALLED) != 0) {
            flags |= QueuePair.SIGNALLED;
            if (controlMids == null || controlMids.length <= slot) {
                controlMids = new int[Math.max(FIRST_MIDS, slot + 1)];
            }
            controlMids[slot] = Bsdh.mid(a.first);
        }
        writeHeader(a, slot);
        marks.onMarked();
        post(slot, a.messageBytes(), flags);
    }

    /** Posts a header, with payload from a lent buffer. */
    void sendLent(Action a, MemorySegment from) {
        assert Thread.holdsLock(core);
        int slot = takeSlot();
        if (slot >= 0) {
            long at = qp.sendOffset(slot);
            writeHeader(a, slot);
            long to = at + a.offset;
            MemorySegment.copy(from, a.bufferOffset, sendMemory, to, a.bytes);
            marks.onMarked();
            post(slot, a.messageBytes(), 0);
        }
    }

    /**
     * Takes a free slot. There always is one while the machine counts send depth and credits; only
     * a peer that lied about its slots can leave none, and is cut.
     */
    private int takeSlot() {
        int slot = qp.takeSendSlot();
        if (slot < 0) {
            machine.abort(AbortReason.TRANSPORT_ERROR, actions);
        }
        return slot;
    }

    void onCompleted(Completion c) {
        assert Thread.holdsLock(core);
        if (c.signalled && c.status == WcStatus.SUCCESS && controlMids != null) {
            machine.onControlSent(controlMids[c.slot], actions);
        }
        machine.onSendsCompleted(c.count, actions); // a signalled one is one of them
    }
}
