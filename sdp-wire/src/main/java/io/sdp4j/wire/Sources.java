package io.sdp4j.wire;

/**
 * The buffers lent to us as a Source, from lend to return.
 *
 * <p>Shape: a queue in stream order. A region is, in turn, waiting; advertised by SrcAvail, or
 * being written into SinkAvails; processed, which its outcome says; and returned, when no RDMA of
 * ours touches it and all before it are returned. {@code outstanding} counts the SrcAvails that are
 * not processed.
 *
 * {@snippet lang = text :
 *  cancel   NONE -> WANTED -> SENT -> NONE     SrcAvailCancel revokes all outstanding (6.6)
 *  owed     bytes of returned buffers that must leave as Data (6.4)
 * }
 *
 * <p>Source: docs/protocol.md 6.2, 6.4, 6.6 and 6.8.
 */
final class Sources {
    static final int NONE = 0;
    static final int WANTED = 1;
    static final int SENT = 2;

    private final int capacity;
    private final Regions lent = new Regions();
    private final Flights writes = new Flights();

    private int outstanding;
    long owed;
    private int cancel = NONE;
    private int cancelMseq;
    private int cancels;
    private boolean recalled; // the shell wants them back
    private boolean crossed; // an answer to a SrcAvail taken back may still come
    private long progress;

    Sources(int capacity) {
        this.capacity = capacity;
    }

    boolean lend(int buffer, long lenBytes, int rkey, long va) {
        if (lent.size() >= capacity || cancel != NONE || recalled || lenBytes < 2) {
            return false;
        }
        lent.add(buffer, lenBytes, rkey, va);
        return true;
    }

    int size() {
        return lent.size();
    }

    boolean isEmpty() {
        return lent.isEmpty();
    }

    /** Whether nothing is lent, owed, or to be answered. */
    boolean idle() {
        return lent.isEmpty() && owed == 0 && cancel == NONE;
    }

    int outstanding() {
        return outstanding;
    }

    long owed() {
        return owed;
    }

    /** Grows with every answer. */
    long progress() {
        return progress;
    }

    int cancel() {
        return cancel;
    }

    /**
     * Whether the peer may be holding its MSeqAck back, because of a SrcAvailCancel of ours that it
     * has neither processed nor acknowledged (6.6).
     */
    boolean acksHeldBack(Credits credits) {
        return cancel == SENT && !credits.acknowledged(cancelMseq);
    }

    /** Cancels sent so far, to tell one from the next. */
    int cancels() {
        return cancels;
    }

    Flights writes() {
        return writes;
    }

    /** Whether anything new may be advertised or written. */
    boolean free() {
        return cancel == NONE && owed == 0 && !copying();
    }

    /** Whether a region that cannot be returned yet has a rest that is to be copied. */
    private boolean copying() {
        for (int i = 0; i < lent.size(); i++) {
            if (lent.get(i).outcome == ActionList.COPY) {
                return true;
            }
        }
        return false;
    }

    /** The first region that waits, null when there is none. */
    Region next() {
        for (int i = 0; i < lent.size(); i++) {
            Region r = lent.get(i);
            if (r.outcome == 0 && !r.advertised) {
                return r;
            }
        }
        return null;
    }

    private Region firstOutstanding() {
        for (int i = 0; i < lent.size(); i++) {
            Region r = lent.get(i);
            if (r.advertised) {
                return r;
            }
        }
        return null;
    }

    void onAdvertised(Region r, int inlineBytes, int mseq) {
        r.advertised = true;
        r.mseq = mseq;
        r.issued += inlineBytes;
        r.done += inlineBytes;
        outstanding++;
    }

    void onWriting(Region r, int lenBytes) {
        r.issued += lenBytes;
        writes.add(lenBytes);
        if (r.left() == 0) {
            r.outcome = ActionList.DONE;
        }
    }

    void onWritten() {
        lent.firstMoving().done += writes.complete();
    }

    /** RdmaRdCompl (6.2): for the oldest SrcAvail that is not complete. */
    AbortReason onRdmaRdCompl(int len, int ack) {
        Region r = firstOutstanding();
        if (r == null) {
            return crossed || cancels > 0 ? AbortReason.NONE : AbortReason.UNEXPECTED_ANSWER;
        }
        if (ack - r.mseq < 0) {
            return AbortReason.NONE; // older than the SrcAvail: stale
        }
        long lenBytes = len & 0xFFFF_FFFFL;
        if (lenBytes > r.left()) {
            return AbortReason.BAD_COMPLETION;
        }
        r.issued += lenBytes;
        r.done += lenBytes;
        progress++;
        if (r.left() == 0) {
            settle(r, ActionList.DONE);
            if (outstanding == 0) {
                onCancelled(false); // nothing is left to revoke: 6.6 (a)
            }
        }
        return AbortReason.NONE;
    }

    /** SendSm (6.4), ordinary or as the answer to a cancel (6.6 b, c). */
    void onSendSm(int ack) {
        if (cancel == SENT && ack - cancelMseq >= 0) {
            progress++;
            onCancelled(true);
            return;
        }
        Region r = firstOutstanding();
        if (r == null || ack - r.mseq < 0) {
            return; // stale
        }
        progress++;
        settle(r, ActionList.COPY);
        if (outstanding == 0 && cancel != NONE) {
            onCancelled(true); // nothing left to revoke: the Sink will ignore the cancel
        }
    }

    /** A SinkAvail takes back what is advertised (6.5). */
    void withdraw() {
        for (int i = 0; i < lent.size(); i++) {
            Region r = lent.get(i);
            if (r.advertised) {
                r.advertised = false;
                outstanding--;
                crossed = true;
            }
        }
        if (outstanding == 0) {
            onCancelled(false);
        }
    }

    /** The shell wants everything back. */
    void recall() {
        if (!lent.isEmpty()) {
            recalled = true;
            revoke();
        }
    }

    /** Everything lent must be copied instead: it is not being read (6.8). */
    void revoke() {
        if (outstanding == 0) {
            onCancelled(true);
        } else if (cancel == NONE) {
            cancel = WANTED;
        }
    }

    void onCancelSent(int mseq) {
        cancel = SENT;
        cancelMseq = mseq;
        cancels++;
    }

    /**
     * The cancel, if there was one, is processed.
     *
     * @param copy whether bytes that were not read are to be copied, if the shell did not recall
     *     them
     */
    private void onCancelled(boolean copy) {
        cancel = NONE;
        if (copy || recalled) {
            for (int i = 0; i < lent.size(); i++) {
                Region r = lent.get(i);
                if (r.outcome == 0) {
                    settle(r, recalled ? ActionList.RECALLED : ActionList.COPY);
                }
            }
        }
    }

    private void settle(Region r, int outcome) {
        if (r.advertised) {
            outstanding--;
            r.advertised = false;
        }
        r.outcome = outcome;
    }

    /** Data was sent while bytes were owed. */
    void onOwedSent(int payloadBytes) {
        owed -= Math.min(owed, payloadBytes);
    }

    /** Returns, in order, the regions that are processed and that no RDMA of ours touches. */
    void giveBack(ActionList out) {
        while (!lent.isEmpty() && lent.first().outcome != 0 && !lent.first().moving()) {
            Region r = lent.first();
            if (r.outcome == ActionList.COPY) {
                owed += r.left();
            }
            out.returned(ActionList.SOURCE_RETURNED, r.buffer, r.done, r.outcome);
            lent.removeFirst();
        }
        recalled &= !lent.isEmpty();
    }

    /** Returns everything at the end of the stream. */
    void giveUp(int outcome, ActionList out) {
        for (; !lent.isEmpty(); lent.removeFirst()) {
            Region r = lent.first();
            boolean done = r.outcome == ActionList.DONE && !r.moving();
            out.returned(
                    ActionList.SOURCE_RETURNED, r.buffer, r.done, done ? ActionList.DONE : outcome);
        }
        outstanding = 0;
        cancel = NONE;
        owed = 0;
    }
}
