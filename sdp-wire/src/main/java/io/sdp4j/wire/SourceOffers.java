package io.sdp4j.wire;

/**
 * The peer's SrcAvails that we hold as a Sink: which parts of them are read, reported, refused.
 *
 * <p>Shape: a queue, oldest first; answers always concern the oldest.
 *
 * {@snippet lang = text :
 *  emptyReads   SrcAvails whose inline payload was all there is: RdmaRdCompl of 0 not yet sent
 *  cancelled    SrcAvailCancel received; what is being read is finished, the rest dropped
 *  sendSmDue    the one SendSm that answers a cancel is not yet sent
 *  expected     Data bytes the peer owes us after our SendSms
 *  asked        SendSms that the peer need not have seen yet, each with its bytes of expected
 *  lastAnswer   MSeq of the last answer that processed one, unless answerSeen
 * }
 *
 * <p>Source: docs/protocol.md 6.2, 6.4 and 6.6.
 */
final class SourceOffers {
    final Regions held = new Regions();
    private final Flights reads = new Flights();
    private int emptyReads;
    private boolean cancelled;
    private boolean dropped; // by the cancel
    private boolean sendSmDue;
    private long expected;
    private final Regions asked = new Regions();
    private long unseen; // bytes of asked
    private int lastAnswer;
    private boolean answerSeen = true;

    Flights reads() {
        return reads;
    }

    boolean cancelled() {
        return cancelled;
    }

    int emptyReads() {
        return emptyReads;
    }

    boolean sendSmDue() {
        return sendSmDue;
    }

    long expected() {
        return expected;
    }

    /** Bytes of {@code expected} that the peer knows to be wanted as Data. */
    long promised() {
        return expected - unseen;
    }

    /** Advertisements of the peer that it cannot know to be processed (2.13). */
    int outstanding() {
        return held.size() + emptyReads;
    }

    /** Whether an answer is still to be sent. */
    boolean unanswered() {
        return !held.isEmpty() || emptyReads > 0 || sendSmDue;
    }

    /** Whether the peer cannot know yet that all its SrcAvails are processed. */
    boolean open() {
        return unanswered() || !answerSeen;
    }

    /** Whether nothing is offered, owed, or to be acknowledged. */
    boolean idle() {
        return !open() && !cancelled && expected == 0 && asked.isEmpty();
    }

    /**
     * Notes what a message's MSeqAck says about the last answer.
     *
     * @param held whether the peer may be holding its MSeqAck back (6.6): then what it sends is
     *     trusted
     */
    void onAck(Credits credits, boolean held) {
        answerSeen |= held || credits.acknowledged(lastAnswer);
        while (!asked.isEmpty() && (held || credits.acknowledged(asked.first().mseq))) {
            unseen -= asked.first().lenBytes;
            asked.removeFirst();
        }
    }

    void hold(long lenBytes, int inlineBytes, int rkey, long va, boolean refused) {
        if (inlineBytes == lenBytes) {
            emptyReads++; // nothing left to read: processed at once (6.2, edge)
            return;
        }
        Region r = held.add(0, lenBytes, rkey, va);
        r.inlineBytes = inlineBytes;
        r.issued = inlineBytes;
        r.done = inlineBytes;
        r.refused = refused;
    }

    /** The region to read from next, null when there is none. */
    Region readable() {
        if (cancelled || expected > 0) {
            return null;
        }
        for (int i = 0; i < held.size(); i++) {
            Region r = held.get(i);
            if (r.refused) {
                return null;
            }
            if (r.left() > 0) {
                return r;
            }
        }
        return null;
    }

    void onReading(Region r, int lenBytes) {
        r.issued += lenBytes;
        reads.add(lenBytes);
    }

    int onRead() {
        int lenBytes = reads.complete();
        held.firstMoving().done += lenBytes;
        return lenBytes;
    }

    /** Marks the oldest one with bytes left to read as wanted as Data. */
    void refuse() {
        for (int i = 0; i < held.size(); i++) {
            if (held.get(i).left() > 0) {
                held.get(i).refused = true;
                return;
            }
        }
    }

    void refuseAll() {
        for (int i = 0; i < held.size(); i++) {
            held.get(i).refused = true;
        }
    }

    /** Payload arrived: it counts towards the bytes that we asked for. */
    void onPayload(int payloadBytes) {
        expected -= Math.min(expected, payloadBytes);
    }

    /** SrcAvailCancel (6.6). Returns whether MSeqAck must be held back. */
    boolean onCancel() {
        if (held.isEmpty()) {
            return false; // all were completed: ignored
        }
        cancelled = true;
        while (!held.isEmpty() && untouched(held.get(held.size() - 1))) {
            held.removeLast();
            dropped = true;
        }
        return !held.isEmpty();
    }

    private static boolean untouched(Region r) {
        return r.issued == r.inlineBytes;
    }

    /** The oldest is processed, by RdmaRdCompl or by SendSm. */
    void onProcessed(boolean wantedAsData, int mseq) {
        if (wantedAsData) {
            long bytes = held.first().left();
            asked.add(0, bytes, 0, 0).mseq = mseq;
            unseen += bytes;
            expected += bytes;
        }
        held.removeFirst();
        answered(mseq);
    }

    /** The oldest was cut short by a cancel. */
    void onCutShort() {
        dropped = true;
        held.removeFirst();
    }

    /**
     * Whether a cancel is carried out now: nothing is held any more. If it dropped anything, SendSm
     * is due.
     */
    boolean cancelCarriedOut() {
        if (!cancelled || !held.isEmpty()) {
            return false;
        }
        cancelled = false;
        sendSmDue = dropped;
        dropped = false;
        return true;
    }

    void onEmptyReadAnswered(int mseq) {
        emptyReads--;
        answered(mseq);
    }

    void onSendSmSent(int mseq) {
        sendSmDue = false;
        answered(mseq);
    }

    private void answered(int mseq) {
        lastAnswer = mseq;
        answerSeen = false;
    }
}
