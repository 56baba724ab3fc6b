package io.sdp4j.wire;

/**
 * The half-connection on which we are the Sink.
 *
 * <p>Shape: its mode (the peer is the master, except out of Buffered), whether the peer's DisConn
 * has been taken, whether our application still reads, and the peer's SrcAvails. We never read one:
 * each is answered by SendSm, so all there is to keep is how many answers are still to be sent and
 * whether the peer has seen the last one.
 *
 * {@snippet lang = text :
 *  unanswered   SrcAvails received, SendSm not yet sent (waiting for a credit)
 *  emptyReads   SrcAvails whose inline payload was all there is: RdmaRdCompl of 0 not yet sent
 *  lastAnswer   MSeq of the last answer sent, unless answerSeen
 * }
 *
 * <p>Source: sdp-wire.md 6.2, 6.4, 6.6 and 7.3.
 */
final class ReceiveHalf {
    private final int maxAdverts;
    private int mode = Mch.COMBINED;
    private boolean wasPipelined;
    private boolean fin;
    private boolean shut;
    private int unanswered;
    private int emptyReads;
    private int lastAnswer;
    private boolean answerSeen = true;

    ReceiveHalf(int maxAdverts) {
        this.maxAdverts = maxAdverts;
    }

    /** Whether the peer has ended this half. */
    boolean fin() {
        return fin;
    }

    /** Whether our application has stopped reading. */
    boolean shut() {
        return shut;
    }

    void shutDown() {
        shut = true;
    }

    /** Notes what a message's MSeqAck says about the last answer. */
    void onAck(Credits credits) {
        if (!answerSeen && credits.acknowledged(lastAnswer)) {
            answerSeen = true;
        }
    }

    /** Payload in a Data message. */
    AbortReason onPayload() {
        if (fin) {
            return AbortReason.ILLEGAL_IN_STATE;
        }
        // A Source sends no other payload until its SrcAvail is processed (6.2, 7.2). Once
        // Pipelined,
        // it may owe us Data for an earlier SrcAvail while a later one waits.
        return unanswered > 0 && !wasPipelined ? AbortReason.ILLEGAL_IN_MODE : AbortReason.NONE;
    }

    /**
     * A SrcAvail of {@code len} bytes, unsigned, with {@code inlineBytes} of payload.
     *
     * @param lenLegal whether {@code len} is in 1..2^31
     */
    AbortReason onSrcAvail(int len, boolean lenLegal, int inlineBytes) {
        if (fin) {
            return AbortReason.ILLEGAL_IN_STATE;
        }
        boolean payloadWanted = mode == Mch.COMBINED;
        if (mode == Mch.BUFFERED || payloadWanted != (inlineBytes > 0)) {
            return AbortReason.ILLEGAL_IN_MODE;
        }
        if (!lenLegal || Integer.compareUnsigned(inlineBytes, len) > 0) {
            return AbortReason.BAD_ADVERTISEMENT;
        }
        if (mode == Mch.COMBINED ? open() : unanswered >= maxAdverts) {
            return AbortReason.TOO_MANY_ADVERTISEMENTS;
        }
        if (inlineBytes == len) {
            emptyReads++; // nothing left to read: processed at once (6.2, edge)
        } else {
            unanswered++;
        }
        return AbortReason.NONE;
    }

    /** Whether the peer cannot know yet that all its SrcAvails are processed. */
    private boolean open() {
        return unanswered > 0 || emptyReads > 0 || !answerSeen;
    }

    /** One SendSm answers for all the dropped ones; with nothing outstanding none is due (6.6). */
    AbortReason onSrcAvailCancel() {
        unanswered = Math.min(unanswered, 1);
        return AbortReason.NONE;
    }

    /** ModeChange with S = 0: the legal ones of 7.3. */
    AbortReason onModeChange(int newMode) {
        boolean legal =
                switch (newMode) {
                    case Mch.BUFFERED -> mode == Mch.COMBINED && !open();
                    case Mch.COMBINED -> mode == Mch.PIPELINED;
                    case Mch.PIPELINED -> mode == Mch.COMBINED;
                    default -> false;
                };
        if (!legal) {
            return AbortReason.BAD_MODE_CHANGE;
        }
        mode = newMode;
        wasPipelined |= newMode == Mch.PIPELINED;
        return AbortReason.NONE;
    }

    /** RdmaWrCompl: no SinkAvail of ours is outstanding (6.3). */
    AbortReason onRdmaWrCompl() {
        return AbortReason.UNEXPECTED_ANSWER;
    }

    /** SinkCancelAck: we never cancelled anything (6.7). */
    AbortReason onSinkCancelAck() {
        return AbortReason.UNEXPECTED_ANSWER;
    }

    /** DisConn: once, and not before the peer's own SrcAvails are processed (12.3). */
    AbortReason onDisConn() {
        if (fin || open()) {
            return AbortReason.ILLEGAL_IN_STATE;
        }
        fin = true;
        return AbortReason.NONE;
    }

    /** The answer to send next: a MID, or -1. */
    int answerDue() {
        if (emptyReads > 0) {
            return Mid.RDMA_RD_COMPL;
        }
        return unanswered > 0 ? Mid.SEND_SM : -1;
    }

    void onAnswered(int mid, int mseq) {
        if (mid == Mid.RDMA_RD_COMPL) {
            emptyReads--;
        } else {
            unanswered--;
        }
        lastAnswer = mseq;
        answerSeen = false;
    }
}
