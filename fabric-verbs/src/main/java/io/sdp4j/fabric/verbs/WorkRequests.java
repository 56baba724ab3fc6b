package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.Completion;
import io.sdp4j.fabric.QpSpec;

/**
 * The requests of one queue pair: which are with the device, which have completed and were not seen
 * by the user yet, and the send slots that are free.
 *
 * <p>Completions of receives are taken at every look; those of sends only when they matter: they
 * free slots when many are taken, and threads wait for reads, writes, signalled sends, and the last
 * one before the end. So a send costs no look of its own. Guarded by the queue pair's monitor.
 */
final class WorkRequests {
    /** Receives posted in one call, where there are many more. */
    private static final int RECEIVES_AT_ONCE = 8;

    /** Slots that a user may want to keep free of payload, and so wait although they are free. */
    private static final int CONTROL_SLOTS = 1;

    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final int receivesAtOnce;

    /** With so many the device can wait for more. */
    private final int enoughReceives;

    /** Receives that are to be posted together: their number, and the slots at both ends. */
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
    private boolean flushSeen;
    private boolean teardown;
    private boolean greeted;

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

    /** A free send slot or -1. */
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
     * @param quiet it says nothing that a peer waits for
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
     * Posts a receive, together with others, and at the latest before the next send, which may tell
     * the peer of it, and before a thread waits while the device has few.
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

    /**
     * Whether those that are to be posted make a difference to a peer that was not told of them.
     */
    boolean fewReceives() {
        assert Thread.holdsLock(qp);
        return receives - chained < enoughReceives;
    }

    /**
     * Posts what is left to be posted.
     *
     * @return false if the device takes no more
     */
    boolean postReceives() {
        assert Thread.holdsLock(qp);
        int n = chained;
        chained = 0;
        if (n > 0 && resources.postReceive(firstChained) != 0) {
            receives -= n;
            flushSeen = true;
            return false;
        }
        return true;
    }

    /** A place for one more read or write, or -1 if there are too many. */
    int takeRdma(int opcode, long wrId) {
        assert Thread.holdsLock(qp);
        return rdmaOps.take(opcode, wrId);
    }

    void onRdmaPosted(int place) {
        assert Thread.holdsLock(qp);
        rdma++;
        rdmaOps.onPosted(place);
    }

    /** A read or write that the device did not get, or does not answer. */
    void completeRdma(int place, int status) {
        assert Thread.holdsLock(qp);
        ring.add(WrId.of(WrId.RDMA, place), status, 0);
    }

    /** The connection is ending: everything that is sent matters. */
    void onEnding() {
        assert Thread.holdsLock(qp);
        teardown = true;
    }

    void onFlush() {
        assert Thread.holdsLock(qp);
        flushSeen = true;
    }

    // ---- what the device says

    /** Whether the ends of sends are of interest now. */
    boolean sendsMatter() {
        assert Thread.holdsLock(qp);
        return sends + rdma > 0 && (endsMatter() || sends * 4 >= freeSlots.length * 3);
    }

    /**
     * Whether a waiting thread may wait for a send to end. As long as slots are free it does not:
     * it lacks the peer's buffers, and the message that tells of them comes later than the end of
     * the sends that used them.
     */
    boolean sendsAwaited() {
        assert Thread.holdsLock(qp);
        return sends + rdma > 0 && nextAwaited(endsMatter());
    }

    /**
     * The same of what is about to be posted.
     *
     * @param matters whether its end is of interest, and not only the slot that it frees
     */
    boolean nextAwaited(boolean matters) {
        assert Thread.holdsLock(qp);
        return matters || freeCount <= CONTROL_SLOTS;
    }

    /** Whether each end is of interest, and not only the slot that it frees. */
    private boolean endsMatter() {
        return signalledSends > 0 || rdma > 0 || flushSeen || teardown;
    }

    /**
     * Whether the device had nothing left when the completions seen since were taken from it: true
     * once, so that a caller that takes all of them need not ask it again.
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

    /** Whether one message at a time is said and answered. */
    boolean talks() {
        assert Thread.holdsLock(qp);
        return heard == 0 && lastAnswer == 1;
    }

    /** Takes everything from the device that matters. */
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
                heard++;
                flushSeen |= status != IbvWc.SUCCESS;
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

    /** Nothing that was sent is with the device any more. */
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

    /** The queue pair was destroyed: requests that it still owed are flushed. */
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

    /** Their number, which is then reported. */
    int takeSendsToReport() {
        assert Thread.holdsLock(qp);
        int n = sendsUnreported;
        sendsUnreported = 0;
        return n;
    }

    /** Ends the read or write at {@code place} and names it in {@code into}. */
    void reportRdma(int place, Completion into) {
        assert Thread.holdsLock(qp);
        rdmaOps.report(place, into);
    }
}
