package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.WcStatus;
import java.util.function.BooleanSupplier;

/**
 * Completions of one queue pair: the peer's descriptors, our own completions, the peer's end; in
 * such an order that what was published before an end is delivered before it.
 *
 * <p>Locks: as the interface says; {@link #poll} under the queue pair's lock.
 */
final class ShmCompletionQueue implements CompletionQueue {
    /** RDMA descriptors taken in one poll, so that a peer cannot keep us in it. */
    private static final int MAX_SILENT = 64;

    private final ShmQueuePair qp;
    private final ReceiveRing in;
    private final SendRing out;
    private final OwnCompletions own;
    private final Waiter waiter;
    private final WakeSocket wakeSocket;
    private final PeerLiveness liveness;

    /** A returned chunk would let RDMA work go on. */
    private volatile boolean rdmaWaits;

    private boolean farewell;

    ShmCompletionQueue(
            ShmQueuePair qp,
            ReceiveRing in,
            SendRing out,
            OwnCompletions own,
            Waiter waiter,
            PeerLiveness liveness) {
        this.qp = qp;
        this.in = in;
        this.out = out;
        this.own = own;
        this.waiter = waiter;
        wakeSocket = waiter.wakeSocket();
        this.liveness = liveness;
    }

    /** Whether the peer has said its last word. Queue pair's lock, or nothing else runs. */
    boolean farewell() {
        return farewell;
    }

    void rdmaWaits(boolean waits) {
        rdmaWaits = waits;
    }

    @Override
    public boolean ready() {
        if (own.over()) {
            return own.present();
        }
        return in.present() || own.present() || liveness.gone() || (rdmaWaits && out.returned());
    }

    @Override
    public boolean poll(Completion into) {
        if (own.present() && own.poll(into, qp.rdmaOrNull())) {
            return true;
        }
        if (own.over()) {
            return false;
        }
        boolean last = liveness.gone();
        for (int n = 0; n < MAX_SILENT; n++) {
            long d = in.next();
            if (d == 0) {
                break;
            }
            int kind = Descriptor.kind(d);
            if (kind == Descriptor.SEND) {
                return received(into, Descriptor.index(d), Descriptor.low(d));
            }
            if (kind == Descriptor.DISCONNECT || kind == Descriptor.DISCONNECT_REPLY) {
                farewell = true;
                return ended(into, WcStatus.SUCCESS);
            }
            if (kind == 0
                    || kind > Descriptor.NAK
                    || !qp.rdma().onDescriptor(kind, Descriptor.index(d), Descriptor.low(d))) {
                qp.fail(WcStatus.REM_INV_REQ_ERR);
            }
            if (own.urgent(qp.rdmaOrNull())) {
                return own.poll(into, qp.rdmaOrNull());
            }
        }
        if (rdmaWaits) {
            qp.rdma().progress();
            if (out.broken()) {
                qp.fail(WcStatus.REM_INV_REQ_ERR);
            }
            if (own.urgent(qp.rdmaOrNull())) {
                return own.poll(into, qp.rdmaOrNull());
            }
        }
        if (last && !in.present()) {
            WcStatus why = liveness.killed();
            if (why != null) {
                qp.fail(why);
                return own.poll(into, qp.rdmaOrNull());
            }
            return ended(into, endOfPeer());
        }
        return false;
    }

    /** Status of a peer that has gone without a last descriptor. */
    private WcStatus endOfPeer() {
        if (qp.disconnected()) {
            return WcStatus.SUCCESS;
        }
        return liveness.peerFailed() ? WcStatus.REM_OP_ERR : WcStatus.RETRY_EXC_ERR;
    }

    private boolean received(Completion into, int slot, int byteLen) {
        if (!in.deliver(slot, byteLen)) {
            qp.fail(WcStatus.REM_INV_REQ_ERR);
            return own.poll(into, qp.rdmaOrNull());
        }
        into.opcode = Completion.RECEIVE;
        into.status = WcStatus.SUCCESS;
        into.slot = slot;
        into.byteLen = byteLen;
        return true;
    }

    private boolean ended(Completion into, WcStatus status) {
        if (!qp.disconnected()) {
            qp.lastWord(Descriptor.DISCONNECT_REPLY);
        }
        boolean died = status == WcStatus.RETRY_EXC_ERR;
        long unsent = died ? qp.takeUnsent() : 0;
        into.slot = (int) (unsent >>> Integer.SIZE);
        into.byteLen = (int) unsent;
        into.count = status == WcStatus.SUCCESS ? 0 : out.unread(qp.rdmaOrNull(), qp.peerRead());
        own.end(qp.rdmaOrNull());
        into.opcode = Completion.DISCONNECTED;
        into.status = status;
        return true;
    }

    @Override
    public void await(long nanos) {
        waiter.await(nanos);
    }

    @Override
    public void wake() {
        waiter.wake();
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
        return liveness.descriptor();
    }

    @Override
    public boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
        return waiter.busyPoll(spoken, elsewhere);
    }

    @Override
    public BusyLook busyLook() {
        return waiter.busyLook();
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
