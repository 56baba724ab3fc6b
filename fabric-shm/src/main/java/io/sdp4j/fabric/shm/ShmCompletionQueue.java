package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.MappedMemory;

/**
 * Completions as the user of one queue pair sees them: the peer's descriptors, our own, the peer's
 * end; in such an order that what was published before an end is delivered before it. {@link
 * OwnCompletions} are those that are reported without the peer's doing.
 *
 * <p>Guarded by the caller's lock, but for what any thread may call.
 */
final class ShmCompletionQueue extends Waiter {
    /** RDMA descriptors taken in one poll, so that a peer cannot keep us in it. */
    private static final int MAX_SILENT = 64;

    final OwnCompletions own = new OwnCompletions();
    private final SendRing out;
    private final ReceiveRing in;

    /** The peer has said its last word. */
    boolean farewell;

    ShmCompletionQueue(
            ShmQueuePair qp,
            MappedMemory mem,
            ShmQueuePair.Parts parts,
            SendRing out,
            ReceiveRing in) {
        super(qp, mem, parts);
        this.out = out;
        this.in = in;
    }

    @Override
    public boolean ready() {
        if (own.over) {
            return own.present;
        }
        return in.present() || own.present || qp.liveness.gone || (qp.rdmaWaits && out.returned());
    }

    @Override
    public boolean poll(Completion into) {
        if (own.present && own.poll(into, qp.rdma)) {
            return true;
        }
        if (own.over) {
            return false;
        }
        boolean last = qp.liveness.gone;
        for (int n = 0; n < MAX_SILENT; n++) {
            int kind = in.next(into);
            if (kind == ReceiveRing.NONE) {
                break;
            }
            if (kind == Descriptor.SEND) {
                into.opcode = Completion.RECEIVE;
                into.status = WcStatus.SUCCESS;
                return true;
            }
            if (kind == Descriptor.DISCONNECT || kind == Descriptor.DISCONNECT_REPLY) {
                farewell = true;
                return tellEnd(into, WcStatus.SUCCESS);
            }
            if (kind == 0
                    || kind > Descriptor.NAK
                    || !qp.rdma().onDescriptor(kind, into.slot, into.byteLen)) {
                qp.fail(WcStatus.REM_INV_REQ_ERR);
            }
            if (own.urgent(qp.rdma)) {
                return own.poll(into, qp.rdma);
            }
        }
        if (qp.rdmaWaits) {
            qp.rdma().progress();
            if (out.broken()) {
                qp.fail(WcStatus.REM_INV_REQ_ERR);
            }
            if (own.urgent(qp.rdma)) {
                return own.poll(into, qp.rdma);
            }
        }
        if (last && !in.present()) {
            WcStatus why = qp.liveness.killed();
            if (why != null) {
                qp.fail(why);
                return own.poll(into, qp.rdma);
            }
            return tellEnd(into, endOfPeer());
        }
        return false;
    }

    /** Status of a peer that has gone without a last descriptor. */
    private WcStatus endOfPeer() {
        if (qp.disconnected) {
            return WcStatus.SUCCESS;
        }
        return qp.liveness.peerFailed() ? WcStatus.REM_OP_ERR : WcStatus.RETRY_EXC_ERR;
    }

    /** The slot of ours that a peer which has ended had read and not returned, or -1. */
    private int peerRead() {
        return mem.getIntAcquire(peer + ShmLayout.READ_WORD) - 1;
    }

    private boolean tellEnd(Completion into, WcStatus status) {
        if (!qp.disconnected) {
            qp.lastWord(Descriptor.DISCONNECT_REPLY);
        }
        boolean died = status == WcStatus.RETRY_EXC_ERR;
        long lost = died ? qp.unsent.takePeers(in) : 0; // bytes that it had not sent
        into.slot = (int) (lost >>> Integer.SIZE);
        into.byteLen = (int) lost;
        into.count = status == WcStatus.SUCCESS ? 0 : out.unread(qp.rdma, peerRead());
        own.end(qp.rdma);
        into.opcode = Completion.DISCONNECTED;
        into.status = status;
        return true;
    }

    @Override
    public boolean arm() {
        return wakeSocket.arm();
    }

    @Override
    public void onNotify(Runnable handler) {
        wakeSocket.onNotify(handler);
    }

    @Override
    public int descriptor() {
        return qp.liveness.link.descriptor();
    }

    @Override
    public boolean rung() {
        return wakeSocket.rung();
    }

    @Override
    public boolean armDescriptor(boolean quietToo) {
        return wakeSocket.armDescriptor(quietToo);
    }

    @Override
    public boolean hearQuiet() {
        return wakeSocket.hearQuiet();
    }

    @Override
    public void releaseDescriptor() {
        wakeSocket.releaseDescriptor();
    }
}
