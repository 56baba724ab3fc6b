package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QpSpec;

/**
 * The WRs of one queue pair: those that the device has, those that have completed and were not seen
 * by the user yet, and the free send slots.
 *
 * <p>Completions of receives are taken at every look. Those of sends are taken only when they
 * matter: when many slots are taken, or when threads wait for reads, writes, signalled sends, or
 * the last send before the end. So a send costs no look of its own. Guarded by the queue pair's
 * monitor.
 */
final class WorkRequests {
    /** Receives posted in one call, if there are many more. */
    private static final int RECEIVES_AT_ONCE = 8;

    /**
     * Slots that a user may keep free of payload; a thread may wait for a slot although these are
     * free.
     */
    private static final int CONTROL_SLOTS = 1;

    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final int receivesAtOnce;

    /** With this many receives, the device can wait for more. */
    private final int enoughReceives;

    /**
     * Receives that will be posted together: their number, and the slots at both ends of the chain.
     */
    private int chained;

    private int firstChained;
    private int lastChained;

    private final CompletionRing ring;
    private final RdmaOps rdmaOps = new RdmaOps();
    private final int[] freeSlots;
    private int freeCount;
    private int receives;
    private int sends;
    private int signalledSends;
    private int rdma;
    private int sendsUnreported;
    private boolean greeted;

    /** Every end is of interest: the connection is ending, or a request failed. */
    private boolean everyEndMatters;

    /** Nothing more comes from the device. */
    private boolean deaf;

    private boolean emptied;

    /** Messages that came since this side has said something. */
    private int heard;

    /** {@code heard} when this side last sent something. */
    private int lastAnswer;

    WorkRequests(VerbsQueuePair qp, QpResources resources, QpSpec spec) {
        this.qp = qp;
        this.resources = resources;
        receives = spec.receiveSlots();
        receivesAtOnce =
                receives < 2 * RECEIVES_AT_ONCE ? Math.max(1, receives / 4) : RECEIVES_AT_ONCE;
        enoughReceives = receives / 2;
        ring = new CompletionRing(spec.receiveSlots() + spec.sendSlots() + RdmaOps.MAX_OPS);
        freeSlots = new int[spec.sendSlots()];
        for (int i = spec.sendSlots() - 1; i >= 0; i--) {
            freeSlots[freeCount++] = i;
        }
    }

    // ---- posting

    /** Takes a free send slot; -1 if there is none. */
    int takeSlot() {
        assert Thread.holdsLock(qp);
        if (freeCount == 0) {
            reap();
        }
        return freeCount == 0 ? -1 : freeSlots[--freeCount];
    }

    void returnSlot(int slot) {
        assert Thread.holdsLock(qp);
        freeSlots[freeCount++] = slot;
    }

    /**
     * @param quiet whether the message holds nothing that a peer waits for
     */
    void onSendPosted(boolean signalled, boolean quiet) {
        assert Thread.holdsLock(qp);
        sends++;
        if (!quiet && heard > 0) {
            lastAnswer = heard;
            heard = 0;
        }
        if (signalled) {
            signalledSends++;
        }
    }

    /**
     * Posts a receive, together with others: at the latest before the next send, which may tell the
     * peer of it, and before a thread waits while the device has few receives.
     *
     * @return false if the device takes no more
     */
    boolean postReceive(int slot) {
        assert Thread.holdsLock(qp);
        receives++;
        resources.chainReceive(slot, -1);
        if (chained == 0) {
            firstChained = slot;
        } else {
            resources.chainReceive(lastChained, slot);
        }
        lastChained = slot;
        chained++;
        return chained < receivesAtOnce || postReceives();
    }

    /** Whether the device has so few receives that the collected ones should be posted now. */
    boolean fewReceives() {
        assert Thread.holdsLock(qp);
        return receives - chained < enoughReceives;
    }

    /**
     * Posts the collected receives.
     *
     * @return false if the device takes no more
     */
    boolean postReceives() {
        assert Thread.holdsLock(qp);
        int n = chained;
        chained = 0;
        if (n > 0 && resources.postReceive(firstChained) != 0) {
            receives -= n;
            everyEndMatters = true;
            return false;
        }
        return true;
    }

    /** Takes a place for one more read or write; -1 if there are too many. */
    int takeRdma(int opcode, long wrId) {
        assert Thread.holdsLock(qp);
        return rdmaOps.take(opcode, wrId);
    }

    void onRdmaPosted(int place) {
        assert Thread.holdsLock(qp);
        rdma++;
        rdmaOps.onPosted(place);
    }

    /** Completes a read or write that the device did not get or does not complete. */
    void completeRdma(int place, int status) {
        assert Thread.holdsLock(qp);
        ring.add(WrId.of(WrId.RDMA, place), status, 0);
    }

    /** The connection is ending, or something was flushed: everything that is sent matters. */
    void onEnding() {
        assert Thread.holdsLock(qp);
        everyEndMatters = true;
    }

    // ---- what the device says

    /** Whether the completions of sends should be taken now. */
    boolean sendsMatter() {
        assert Thread.holdsLock(qp);
        return sends + rdma > 0 && (endsMatter() || sends * 4 >= freeSlots.length * 3);
    }

    /**
     * Whether a waiting thread may be waiting for a send to end. While slots are free it is not: it
     * then waits for buffers of the peer, and the message that tells of them comes after the
     * completions of the sends that used them.
     */
    boolean sendsAwaited() {
        assert Thread.holdsLock(qp);
        return sends + rdma > 0 && nextAwaited(endsMatter());
    }

    /**
     * As {@link #sendsAwaited}, for a request that is about to be posted.
     *
     * @param matters whether the end of the request is of interest, and not only the slot that it
     *     frees
     */
    boolean nextAwaited(boolean matters) {
        assert Thread.holdsLock(qp);
        return matters || freeCount <= CONTROL_SLOTS;
    }

    /** Whether the end of each request is of interest, and not only the slot that it frees. */
    private boolean endsMatter() {
        return signalledSends > 0 || rdma > 0 || everyEndMatters;
    }

    /**
     * Whether the device had nothing left when the last completions were taken. True once, so that
     * a caller that handles all of them need not ask the device again.
     */
    boolean takeEmptied() {
        assert Thread.holdsLock(qp);
        boolean was = emptied;
        emptied = false;
        return was;
    }

    /** Messages that came since this side has said something. */
    int heard() {
        assert Thread.holdsLock(qp);
        return heard;
    }

    /** Whether both sides exchange one message at a time. */
    boolean talks() {
        assert Thread.holdsLock(qp);
        return heard == 0 && lastAnswer == 1;
    }

    /** Takes all completions that matter from the device. */
    void reap() {
        assert Thread.holdsLock(qp);
        if (deaf) {
            return;
        }
        int n;
        do {
            n = resources.pollReceives();
            emptied = n > 0 && n < QpResources.BATCH;
            for (int i = 0; i < n; i++) {
                int status = IbvWc.status(resources.wcs, i);
                if (WrId.kind(IbvWc.wrId(resources.wcs, i)) == WrId.GREETING) {
                    greeted |= status == IbvWc.SUCCESS;
                    continue;
                }
                receives--;
                heard = Math.max(heard, heard + 1); // it stops before it overflows
                everyEndMatters |= status != IbvWc.SUCCESS;
                ring.add(IbvWc.wrId(resources.wcs, i), status, IbvWc.byteLen(resources.wcs, i));
            }
        } while (n == QpResources.BATCH);
        while (sendsMatter()) {
            n = resources.pollSends();
            for (int i = 0; i < n; i++) {
                onSendDone(IbvWc.wrId(resources.wcs, i), IbvWc.status(resources.wcs, i));
            }
            if (n < QpResources.BATCH) {
                break;
            }
        }
    }

    private void onSendDone(long wrId, int status) {
        int kind = WrId.kind(wrId);
        if (kind == WrId.GREETING) {
            sends--;
            return;
        }
        if (kind == WrId.RDMA) {
            rdma--;
            rdmaOps.onCompleted(WrId.index(wrId));
        } else {
            sends--;
            if (kind == WrId.SIGNALLED_SEND) {
                signalledSends--;
            } else if (status == IbvWc.SUCCESS) {
                returnSlot(WrId.index(wrId));
                sendsUnreported++;
                return;
            }
        }
        ring.add(wrId, status, 0);
    }

    /** Whether the peer's greeting has come. */
    boolean greeted() {
        assert Thread.holdsLock(qp);
        return greeted;
    }

    /** Whether the device has no send, read or write any more. */
    boolean sendQueueEmpty() {
        assert Thread.holdsLock(qp);
        return sends + rdma == 0;
    }

    int sends() {
        assert Thread.holdsLock(qp);
        return sends;
    }

    int receives() {
        assert Thread.holdsLock(qp);
        return receives;
    }

    int rdma() {
        assert Thread.holdsLock(qp);
        return rdma;
    }

    /** Flushes the requests that had not completed when the queue pair was destroyed. */
    void onDeaf() {
        assert Thread.holdsLock(qp);
        reap();
        deaf = true;
        for (int p = rdmaOps.abandon(); p >= 0; p = rdmaOps.abandon()) {
            completeRdma(p, IbvWc.WR_FLUSH_ERR);
            rdma--;
        }
    }

    // ---- what the user has not seen

    CompletionRing completed() {
        assert Thread.holdsLock(qp);
        return ring;
    }

    boolean sendsToReport() {
        assert Thread.holdsLock(qp);
        return sendsUnreported > 0;
    }

    /** Returns the number of sends to report, and counts them as reported. */
    int takeSendsToReport() {
        assert Thread.holdsLock(qp);
        int n = sendsUnreported;
        sendsUnreported = 0;
        return n;
    }

    /** Ends the read or write at {@code place} and describes it in {@code into}. */
    void reportRdma(int place, Completion into) {
        assert Thread.holdsLock(qp);
        rdmaOps.report(place, into);
    }
}
