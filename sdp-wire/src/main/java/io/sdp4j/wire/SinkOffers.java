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
 * }
 *
 * <p>Source: docs/protocol.md 6.3, 6.5 and 6.7.
 */
final class SinkOffers {
    final Regions held = new Regions();
    int p;
    private int revoked;
    private boolean cutShort; // the cancel takes back the rest of the one in process, too

    boolean inProcess() {
        return !held.isEmpty() && held.first().issued > 0;
    }

    /** Whether a SinkAvailCancel is not yet carried out: SinkCancelAck is to be sent. */
    boolean cancelled() {
        return revoked > 0 || cutShort;
    }

    /** A message with payload leaves: it uses up the oldest SinkAvail (6.5). */
    void onPayloadSent() {
        if (held.size == 0) {
            p++;
        } else {
            assert !inProcess();
            removeFirst();
        }
    }

    /** Whether a SinkAvail is stale; if it is, {@code p} is lowered by one (6.5). */
    boolean stale(int nonDiscards) {
        if (nonDiscards == p) {
            return false;
        }
        p--;
        return true;
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

    /** The half has ended: held offers are void. */
    void giveUp() {
        assert !inProcess() && !cancelled();
        held.clear();
    }
}
