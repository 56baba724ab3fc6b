package io.sdp4j.wire;

/**
 * The half-connection on which we are the Source.
 *
 * <p>Shape: its mode (sdp-wire.md 7.1: we are the master, except out of Buffered), the send queue's
 * depth, and where our DisConn stands: not wanted, wanted, sent, completed. Advertisements of ours
 * (SrcAvail) and of the peer (SinkAvail) belong here; none is made or taken yet, and the methods
 * that receive messages about them answer for a Source that has none.
 */
final class SendHalf {
    /** Payload leaves this many sends of the queue to control messages, as credits do. */
    private static final int CONTROL_SENDS = 1;

    private final int depth;
    private int inFlight;
    private int mode = Mch.COMBINED;
    private boolean finWanted;
    private boolean finSent;
    private boolean finCompleted;

    SendHalf(int depth) {
        this.depth = depth;
    }

    boolean roomForPayload(int reserved) {
        return depth - inFlight - reserved > CONTROL_SENDS;
    }

    boolean roomForControl(int reserved) {
        return depth - inFlight - reserved > 0;
    }

    void onPosted() {
        if (depth != Integer.MAX_VALUE) {
            inFlight++;
        }
    }

    void onCompleted(int count) {
        if (depth != Integer.MAX_VALUE) {
            assert count <= inFlight : "more completions than sends";
            inFlight -= count;
        }
    }

    /** Whether the application has ended its output. */
    boolean shut() {
        return finWanted;
    }

    void shutDown() {
        finWanted = true;
    }

    /** DisConn goes after every payload message, reserved ones included (12.4). */
    boolean finDue(int reserved) {
        return finWanted && !finSent && reserved == 0;
    }

    void onFinSent() {
        finSent = true;
    }

    boolean finSent() {
        return finSent;
    }

    void onFinCompleted() {
        assert finSent;
        finCompleted = true;
    }

    boolean finCompleted() {
        return finCompleted;
    }

    /** ModeChange with S = 1: only the way out of Buffered is the Sink's to ask for (7.3). */
    AbortReason onModeChange(int newMode) {
        if (mode != Mch.BUFFERED || newMode != Mch.COMBINED) {
            return AbortReason.BAD_MODE_CHANGE;
        }
        mode = newMode;
        return AbortReason.NONE;
    }

    /**
     * SinkAvail: legal only in Pipelined (7.2), and it is we who would have to change to it. The
     * window after a change back to Combined, in which it is ignored, cannot open either.
     */
    AbortReason onSinkAvail() {
        return mode == Mch.PIPELINED ? AbortReason.NONE : AbortReason.ILLEGAL_IN_MODE;
    }

    /** RdmaRdCompl with no SrcAvail outstanding and no cancel that could have crossed it (6.2). */
    AbortReason onRdmaRdCompl() {
        return AbortReason.UNEXPECTED_ANSWER;
    }

    /** SendSm with no SrcAvail outstanding is stale (6.4). */
    AbortReason onSendSm() {
        return AbortReason.NONE;
    }

    /** SinkAvailCancel with nothing outstanding is ignored (6.7). */
    AbortReason onSinkAvailCancel() {
        return AbortReason.NONE;
    }
}
