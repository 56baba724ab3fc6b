package io.sdp4j.wire;

/**
 * The buffers lent to us as a Sink, from lend to return.
 *
 * <p>Shape: a queue in stream order. The first {@code offered} of them are out as SinkAvails; they
 * are filled by the peer, the others by our reads.
 *
 * {@snippet lang = text :
 *  n         NonDiscards: payload messages received that discarded no SinkAvail (6.5)
 *  cancel    as that of Sources: SinkAvailCancel revokes all (6.7)
 *  lateAcks  cancels that ended otherwise: their SinkCancelAck may still come, or never
 *  voided    SinkAvails that ModeChange or DisConn ended: their RdmaWrCompl means nothing (6.3)
 * }
 *
 * <p>Source: docs/protocol.md 6.3, 6.5 and 6.7.
 */
final class Sinks {
    private final int capacity;
    private final Regions lent = new Regions();
    private int offered;
    int n;
    private int cancel = Sources.NONE;
    private int cancelMseq;
    private int lateAcks;
    private int voided;
    private int cancels;
    boolean recalled;

    Sinks(int capacity) {
        this.capacity = capacity;
    }

    boolean lend(int buffer, long lenBytes, int rkey, long va, boolean offerable) {
        if (lent.size() >= capacity || recalled) {
            return false;
        }
        lent.add(buffer, lenBytes, rkey, va).offerable = offerable;
        return true;
    }

    int size() {
        return lent.size();
    }

    boolean isEmpty() {
        return lent.isEmpty();
    }

    int offered() {
        return offered;
    }

    int n() {
        return n;
    }

    int cancel() {
        return cancel;
    }

    /** Cancels sent so far, to tell one from the next. */
    int cancels() {
        return cancels;
    }

    /**
     * The buffer to read into next, null when there is none. While SinkAvails are out there is
     * nothing to read: the peer's advertisements are ignored (6.5).
     */
    Region fillable() {
        if (recalled) {
            return null;
        }
        for (int i = 0; i < lent.size(); i++) {
            if (lent.get(i).left() > 0) {
                return lent.get(i);
            }
        }
        return null;
    }

    void onReading(Region r, int lenBytes) {
        r.issued += lenBytes;
    }

    void onRead(int lenBytes) {
        lent.firstMoving().done += lenBytes;
    }

    /** The buffer to offer next, untouched since nothing is to be read; null when there is none. */
    Region offerable(int receiveBytes) {
        if (cancel != Sources.NONE || offered == lent.size()) {
            return null;
        }
        Region r = lent.get(offered);
        return r.offerable && r.lenBytes > receiveBytes ? r : null;
    }

    void onOffered() {
        offered++;
    }

    /**
     * A message with payload goes to the shell, and with it the buffers that the message makes
     * useless: the oldest one offered, or all if none is offered (6.5).
     */
    void onPayload(ActionList out) {
        if (offered > 0) {
            returnFirst(out);
        } else {
            n++;
            while (!lent.isEmpty()) {
                returnFirst(out);
            }
        }
    }

    /** Payload of a SrcAvail: true when it goes to the oldest buffer instead of to the shell. */
    boolean place(int slot, int offset, int payloadBytes, ActionList out) {
        Region r = fillable();
        if (r == null || r.left() < payloadBytes) {
            return false;
        }
        out.place(slot, offset, payloadBytes, r.buffer, r.issued);
        r.issued += payloadBytes;
        r.done += payloadBytes;
        n++;
        return true;
    }

    /** RdmaWrCompl (6.3). The one for a SinkAvail that the Source has voided is ignored. */
    AbortReason onRdmaWrCompl(int len, ActionList out) {
        if (offered == 0) {
            if (voided == 0) {
                return AbortReason.UNEXPECTED_ANSWER;
            }
            voided--;
            return AbortReason.NONE;
        }
        Region r = lent.first();
        long lenBytes = len & 0xFFFF_FFFFL;
        if (lenBytes > r.lenBytes) {
            return AbortReason.BAD_COMPLETION;
        }
        r.done = lenBytes;
        returnFirst(out);
        return AbortReason.NONE;
    }

    /**
     * SinkCancelAck (6.7). If a late one may come, MSeqAck tells which one this is: see {@link
     * #mayCancel} for why MSeqAck is then either true or not below our cancel.
     *
     * @param ack MSeqAck of the message
     */
    AbortReason onSinkCancelAck(int ack, ActionList out) {
        if (lateAcks > 0 && (cancel != Sources.SENT || ack - cancelMseq < 0)) {
            lateAcks--;
            return AbortReason.NONE;
        }
        if (cancel != Sources.SENT) {
            return AbortReason.UNEXPECTED_ANSWER;
        }
        cancel = Sources.NONE;
        while (offered > 0) {
            returnFirst(out);
        }
        return AbortReason.NONE;
    }

    /** The shell wants everything back. */
    void recall() {
        if (!lent.isEmpty()) {
            recalled = true;
            if (offered > 0 && cancel == Sources.NONE) {
                cancel = Sources.WANTED;
            }
        }
    }

    /**
     * Whether SinkAvailCancel may be sent now (6.7). While the peer may be holding its MSeqAck back
     * for a SrcAvailCancel of ours (6.6), the answer to this cancel and a late answer to an earlier
     * one would look the same. So if a late answer is possible, this cancel waits until the
     * SrcAvailCancel is processed.
     */
    boolean mayCancel(boolean acksHeldBack) {
        return cancel == Sources.WANTED && !(acksHeldBack && lateAcks > 0);
    }

    void onCancelSent(int mseq) {
        cancel = Sources.SENT;
        cancelMseq = mseq;
        cancels++;
    }

    /**
     * The half has left Pipelined: offered buffers become ordinary (7.3). Offers that an earlier
     * change of mode voided are forgotten: the Source has nothing more to say of them.
     */
    void forgetOffers() {
        voided = offered;
        offered = 0;
        noneOffered();
    }

    /**
     * Returns the oldest buffers as long as each is recalled or holds bytes, and is not being
     * filled: it is full, or there is nothing more to read now.
     */
    void giveBack(ActionList out) {
        while (!lent.isEmpty() && offered == 0) {
            Region r = lent.first();
            if (r.moving() || !(recalled || r.done > 0)) {
                return;
            }
            returnFirst(out);
        }
    }

    /** Returns everything: the half has ended, nothing is being read. */
    void giveUp(ActionList out) {
        voided += offered;
        while (!lent.isEmpty()) {
            returnFirst(out);
        }
    }

    private void returnFirst(ActionList out) {
        Region r = lent.first();
        out.returned(ActionList.SINK_RETURNED, r.buffer, r.done, 0);
        lent.removeFirst();
        if (offered > 0) {
            offered--;
            if (offered == 0) {
                noneOffered();
            }
        }
        recalled &= !lent.isEmpty();
    }

    private void noneOffered() {
        if (cancel == Sources.SENT) {
            lateAcks++;
        }
        cancel = Sources.NONE; // nothing is left to revoke
    }
}
