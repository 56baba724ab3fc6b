package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.AdaptiveSpin;
import io.sdp4j.linux.EpollLoop;

/**
 * The completion queue of one queue pair, as its user sees it: completions in the device's order,
 * then the end, then only the reads and writes that were flushed.
 *
 * <p>Guarded by the queue pair's monitor.
 */
final class VerbsCompletionQueue extends CqWaiter {
    private final QpTeardown teardown;

    /** The user was told of the end. */
    private boolean over;

    VerbsCompletionQueue(
            VerbsQueuePair qp,
            QpResources resources,
            WorkRequests requests,
            QpTeardown teardown,
            EpollLoop loop,
            AdaptiveSpin spinner) {
        super(qp, resources, requests, loop, spinner);
        this.teardown = teardown;
    }

    @Override
    boolean isOver() {
        assert Thread.holdsLock(qp);
        return over;
    }

    /** Says that the user has closed the queue pair. */
    void end() {
        assert Thread.holdsLock(qp);
        over = true;
    }

    @Override
    boolean look() {
        assert Thread.holdsLock(qp);
        qp.reap();
        return isKnown();
    }

    @Override
    public boolean known() {
        synchronized (qp) {
            return isKnown();
        }
    }

    /** As {@link #look}, but without asking the device. Monitor held. */
    private boolean isKnown() {
        assert Thread.holdsLock(qp);
        return !requests.completed().isEmpty()
                || (!over
                        && (teardown.failure() != null
                                || requests.sendsToReport()
                                || teardown.peerDead()
                                || teardown.complete()));
    }

    @Override
    public boolean poll(Completion into) {
        synchronized (qp) {
            return take(into);
        }
    }

    private boolean take(Completion into) {
        assert Thread.holdsLock(qp);
        CompletionRing ring = requests.completed();
        if (ring.isEmpty() && !requests.takeEmptied()) {
            qp.reap();
        }
        while (true) {
            boolean succeeded = !ring.isEmpty() && ring.status() == IbvWc.SUCCESS;
            if (teardown.failure() != null && !over && !succeeded) {
                over = true;
                into.opcode = Completion.ERROR;
                into.status = teardown.failure();
                return true;
            }
            if (ring.isEmpty()) {
                return pollRest(into);
            }
            long wrId = ring.wrId();
            int status = ring.status();
            int byteLen = ring.byteLen();
            ring.removeFirst();
            if (onCompleted(wrId, status, byteLen, into)) {
                return true;
            }
        }
    }

    /** Handles one completion. Returns whether the user sees it. */
    private boolean onCompleted(long wrId, int status, int byteLen, Completion into) {
        int kind = WrId.kind(wrId);
        into.status = IbvWc.meaning(status);
        into.signalled = false;
        if (status != IbvWc.SUCCESS) {
            teardown.onBadStatus(into.status);
        }
        switch (kind) {
            case WrId.RECEIVE -> {
                into.opcode = Completion.RECEIVE;
                into.slot = WrId.index(wrId);
                into.byteLen = byteLen;
            }
            case WrId.RDMA -> {
                requests.reportRdma(WrId.index(wrId), into);
                return true;
            }
            default -> {
                into.opcode = Completion.SEND;
                into.slot = WrId.index(wrId);
                into.count = 1;
                into.signalled = kind == WrId.SIGNALLED_SEND;
                requests.returnSlot(into.slot);
            }
        }
        return status == IbvWc.SUCCESS && !over;
    }

    private boolean pollRest(Completion into) {
        if (over) {
            return false;
        }
        if (requests.sendsToReport()) {
            into.opcode = Completion.SEND;
            into.status = WcStatus.SUCCESS;
            into.signalled = false;
            into.count = requests.takeSendsToReport();
            return true;
        }
        boolean peerDead = teardown.peerDead();
        if (!peerDead && !teardown.complete()) {
            return false;
        }
        over = true;
        into.opcode = Completion.DISCONNECTED;
        into.byteLen = 0;
        into.status = peerDead ? WcStatus.RESP_TIMEOUT_ERR : WcStatus.SUCCESS;
        into.count = peerDead ? Math.max(1, requests.sends()) : 0;
        return true;
    }

    // ---- waiting

    @Override
    public boolean ready() {
        synchronized (qp) {
            return look();
        }
    }
}
