package io.sdp4j.stream;

import io.sdp4j.fabric.QueuePair;
import io.sdp4j.wire.AbortReason;
import io.sdp4j.wire.ActionList;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.SdpMachine;
import java.nio.ByteBuffer;

/**
 * The life of a send slot, from the right to use it to the message that leaves; and the only way of
 * an application's bytes into it.
 *
 * <p>Belongs to one connection. Guarded by the stream's lock, but for {@link #fill}, which is for
 * the thread that has taken the slot.
 */
final class SendSlots {
    private final StreamCore core;
    private final SdpMachine machine;
    private final QueuePair qp;
    private final ActionList actions;
    private final ByteBuffer view;

    /** Payload bytes of the longest message that the peer and the fabric take. */
    private final int mostPayload;

    /** Of these, the bytes whose memory is there in any case. */
    final int usualPayload;

    SendSlots(StreamCore core, Established open, ActionList actions) {
        this.core = core;
        this.machine = open.machine();
        this.qp = open.qp();
        this.actions = actions;
        this.view = qp.sendMemory().asByteBuffer();
        this.mostPayload = Math.min(machine.maxPayload(), qp.sendBytes() - Bsdh.BYTES);
        this.usualPayload = Math.min(mostPayload, qp.usualBytes() - Bsdh.BYTES);
    }

    /**
     * Most payload bytes of the next message: as much as is usual while the peer keeps up, so that
     * it reads one while the next is filled; all that fits when it is behind, so that a peer which
     * does not read takes as much as a kernel's socket.
     */
    int nextPayload() {
        return nextPayload(core.coalescer.peerBehind());
    }

    /** As the other one, where {@link WriteCoalescer#peerBehind} is known. */
    int nextPayload(boolean peerBehind) {
        assert Thread.holdsLock(core);
        boolean all = peerBehind && mostPayload > usualPayload && qp.bookLong();
        return all ? mostPayload : usualPayload;
    }

    /** Whether a message is longer than is usual. */
    boolean isLong(int payloadBytes) {
        assert Thread.holdsLock(core);
        return payloadBytes > usualPayload;
    }

    /** As {@link #nextPayload}: owed bytes are not mixed with others. */
    int payloadLimit() {
        assert Thread.holdsLock(core);
        return Math.min(machine.source().payloadLimit(), nextPayload());
    }

    /** Takes a send slot and the right to use it; -1: none, after a look. */
    int reserve() {
        assert Thread.holdsLock(core);
        int slot = reserveNow();
        if (slot < 0) {
            core.progress(); // what is missing may have come
            slot = reserveNow();
            if (slot < 0 && machine.writable()) {
                machine.abort(AbortReason.TRANSPORT_ERROR, actions); // as in Outgoing.takeSlot
                core.carryOut();
            }
        }
        return slot;
    }

    /** As {@link #reserve}, without looking what has completed. */
    int reserveNow() {
        assert Thread.holdsLock(core);
        if (!machine.reserve()) {
            return -1;
        }
        int slot = qp.takeSendSlot();
        if (slot < 0) {
            machine.unreserve(actions);
            core.carryOut();
        }
        return slot;
    }

    /** Gives back a slot that {@link #reserve} gave. */
    void unreserve(int slot) {
        assert Thread.holdsLock(core);
        qp.returnSendSlot(slot);
        machine.unreserve(actions);
        core.carryOut();
    }

    /** Sends a filled slot; false if the stream was cut meanwhile. */
    boolean send(int slot, int payloadBytes, boolean urgent) {
        assert Thread.holdsLock(core);
        boolean sent = machine.send(slot, payloadBytes, urgent, actions);
        core.carryOut();
        if (!sent) {
            qp.returnSendSlot(slot);
        }
        return sent;
    }

    /** As {@link #send}, for a message that another one follows if there is room. */
    boolean sendPart(int slot, int payloadBytes, boolean followed) {
        assert Thread.holdsLock(core);
        core.outgoing.followed(followed && machine.writable());
        return send(slot, payloadBytes, false);
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
