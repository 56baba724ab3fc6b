package io.sdp4j.wire;

/**
 * The peer's SinkAvails that we hold as a Source, and the counter that tells which are stale.
 *
 * <p>Shape: a queue, oldest first. The oldest is <em>in process</em> when something was written
 * into it and its RdmaWrCompl is not sent.
 *
 * {@snippet lang = text :
 *  p        PotentialNonDiscards: payload messages sent that discarded no SinkAvail (6.5)
 *  revoked  how many of the oldest SinkAvailCancel takes back; they stay until SinkCancelAck
 *           leaves, because payload that leaves before it still uses one up (6.5, 6.7)
 *  window   from our ModeChange to Combined until the peer has acknowledged it, with the
 *           snapshot q of p (7.3)
 * }
 *
 * <p>Source: docs/protocol.md 6.3, 6.5, 6.7 and 7.3.
 */
final class SinkOffers extends Offers {
    int p;
    private boolean window;
    private int windowMseq;
    private int q;
    private int revoked;
    private boolean cutShort; // and the rest of one that was in process

    boolean inProcess() {
        return !held.isEmpty() && held.first().issued > 0;
    }

    /** Whether a SinkAvailCancel is not yet carried out: SinkCancelAck is to be sent. */
    boolean cancelled() {
        return revoked > 0 || cutShort;
    }

    boolean window() {
        return window;
    }

    /** MSeq of the ModeChange that opened the window. */
    int windowMseq() {
        return windowMseq;
    }

    /** A message with payload leaves: it takes the oldest SinkAvail along (6.5). */
    void onPayloadSent() {
        if (held.isEmpty()) {
            p++;
        } else {
            assert !inProcess();
            removeFirst();
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
        removeFirst();
    }

    /** SinkAvailCancel (6.7): with nothing held it is ignored. */
    void onCancel() {
        revoked = held.size();
        cutShort |= inProcess() && held.first().left() > 0;
    }

    /** SinkCancelAck leaves, after what was in process is completed: the rest is given up. */
    void onAckSent() {
        assert cancelled() && !inProcess();
        while (revoked > 0) {
            removeFirst();
        }
        cutShort = false;
    }

    private void removeFirst() {
        held.removeFirst();
        revoked = Math.max(0, revoked - 1);
    }

    /** Our ModeChange to Combined leaves: held offers are dropped (7.3). */
    void onLeavingPipelined(int mseq) {
        assert !inProcess() && !cancelled();
        held.clear();
        window = true;
        windowMseq = mseq;
        q = p;
    }

    /** The half has ended: held offers are void. */
    void giveUp() {
        assert !inProcess() && !cancelled();
        held.clear();
    }

    void onAck(Credits credits) {
        window &= !credits.acknowledged(windowMseq);
    }
}
