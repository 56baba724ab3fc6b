package io.sdp4j.wire;

/**
 * The peer's SinkAvails that we hold as a Source, and the counter that tells which are stale.
 *
 * <p>Shape: a queue, oldest first. The oldest is <em>in process</em> when something was written
 * into it and its RdmaWrCompl is not sent.
 *
 * {@snippet lang = text :
 *  p        PotentialNonDiscards: payload messages sent that discarded no SinkAvail (6.5)
 *  window   from our ModeChange to Combined until the peer has acknowledged it, with the
 *           snapshot q of p (7.3)
 * }
 *
 * <p>Source: sdp-wire.md 6.3, 6.5, 6.7 and 7.3.
 */
final class SinkOffers {
    private final Regions held = new Regions();
    private int p;
    private boolean window;
    private int windowMseq;
    private int q;
    private boolean cancelled; // SinkAvailCancel received, not yet carried out
    private boolean gaveUp; // and there is something to give up
    private boolean ackDue;

    boolean isEmpty() {
        return held.isEmpty();
    }

    int size() {
        return held.size();
    }

    Region first() {
        return held.first();
    }

    boolean inProcess() {
        return !held.isEmpty() && held.first().issued > 0;
    }

    boolean cancelled() {
        return cancelled;
    }

    boolean ackDue() {
        return ackDue;
    }

    boolean window() {
        return window;
    }

    /** MSeq of the ModeChange that opened the window. */
    int windowMseq() {
        return windowMseq;
    }

    int p() {
        return p;
    }

    /** A message with payload leaves: it takes the oldest SinkAvail along (6.5). */
    void onPayloadSent() {
        if (held.isEmpty()) {
            p++;
        } else {
            assert !inProcess();
            held.removeFirst();
        }
    }

    /** Whether a SinkAvail is stale in Pipelined; the counter then forgets the message (6.5). */
    boolean stale(int nonDiscards) {
        if (nonDiscards == p) {
            return false;
        }
        p--;
        return true;
    }

    /** The same in the window after leaving Pipelined: whether it crossed the ModeChange (7.3). */
    boolean crossedModeChange(int nonDiscards) {
        if (nonDiscards == q) {
            return true;
        }
        p--;
        q--;
        return false;
    }

    void hold(long lenBytes, int rkey, long va) {
        held.add(0, lenBytes, rkey, va);
    }

    /** RdmaWrCompl leaves: the oldest is processed. */
    void onCompleted() {
        held.removeFirst();
    }

    /** SinkAvailCancel (6.7): with nothing held it is ignored. */
    void onCancel() {
        if (!held.isEmpty()) {
            cancelled = true;
            gaveUp |= held.size() > 1 || held.first().left() > 0;
        }
    }

    /** Nothing is in process any more: gives up the rest. */
    void carryOutCancel() {
        assert cancelled && !inProcess();
        held.clear();
        cancelled = false;
        ackDue |= gaveUp;
        gaveUp = false;
    }

    void onAckSent() {
        ackDue = false;
    }

    /**
     * Our ModeChange to Combined leaves (7.3).
     *
     * @return whether a SinkAvail was dropped
     */
    boolean onLeavingPipelined(int mseq) {
        assert !inProcess();
        boolean dropped = !held.isEmpty();
        held.clear();
        window = true;
        windowMseq = mseq;
        q = p;
        return dropped;
    }

    void onAck(Credits credits) {
        if (window && credits.acknowledged(windowMseq)) {
            window = false;
        }
    }
}
