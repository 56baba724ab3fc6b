package io.sdp4j.wire;

/**
 * The half-connection on which we are the Sink.
 *
 * <p>Shape: its mode, which the peer changes (only we could leave Buffered, and never do); whether
 * the peer's DisConn has been taken; whether our application still reads; the peer's SrcAvails and
 * the buffers lent to us.
 *
 * <p>Source: docs/protocol.md 6, 7, 9 and 12.3.
 */
final class ReceiveHalf {
    final SourceOffers offers = new SourceOffers();
    final Sinks sinks;
    private final Credits credits;
    private final int maxAdverts;
    private final boolean zcopy;

    private int mode = Mch.COMBINED;
    private boolean sizeAsked; // an answer to ChRcvBuf is due
    private boolean fin;
    private boolean shut;

    ReceiveHalf(WireConfig config, Credits credits) {
        this.credits = credits;
        this.maxAdverts = config.maxAdverts();
        this.zcopy = config.features().zcopy();
        this.sinks = new Sinks(config.features().lentBuffers());
    }

    int mode() {
        return mode;
    }

    /** Whether this half has work beyond buffered copy. */
    boolean busy() {
        return offers.unanswered() || offers.cancelled() || !sinks.isEmpty();
    }

    /** Whether payload goes to a reader as it comes, and this half has no other work. */
    boolean bcopyOnly() {
        return !busy() && offers.idle() && !sizeAsked && !fin && !shut;
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
        offers.refuseAll();
        sinks.recall();
    }

    /** Bytes that the application could read by RDMA now if it lent a buffer. */
    long offeredBytes() {
        Region r = sinks.isEmpty() ? offers.readable() : null;
        return r == null ? 0 : r.left();
    }

    /**
     * Judges a Data message of {@code payloadBytes}. A Source sends no payload until it knows that
     * its SrcAvails are processed (6.2, 7.2), except for bytes that it knows are wanted as Data
     * (6.4).
     */
    AbortReason onData(int payloadBytes) {
        if (fin) {
            return AbortReason.ILLEGAL_IN_STATE;
        }
        if (offers.open() && offers.promised() < payloadBytes) {
            return AbortReason.ILLEGAL_IN_MODE;
        }
        offers.onPayload(payloadBytes);
        return AbortReason.NONE;
    }

    /**
     * Judges payload in a SinkAvail: illegal beside a SrcAvail (6.2), and before owed Data (6.4).
     */
    AbortReason onTransaction() {
        if (fin) {
            return AbortReason.ILLEGAL_IN_STATE;
        }
        boolean barred = offers.open() || offers.expected() > 0;
        return barred ? AbortReason.ILLEGAL_IN_MODE : AbortReason.NONE;
    }

    /**
     * A SrcAvail of {@code len} bytes, unsigned, with {@code inlineBytes} of payload.
     *
     * @param lenLegal whether {@code len} is in 1..2^31
     * @param sinkAvails the peer's SinkAvails that are outstanding: they share the limit (2.13)
     */
    AbortReason onSrcAvail(
            int len, boolean lenLegal, int rkey, long va, int inlineBytes, int sinkAvails) {
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
        if (offers.cancelled() || offers.sendSmDue()) {
            return AbortReason.TOO_MANY_ADVERTISEMENTS; // before its cancel is processed (6.6)
        }
        if ((mode == Mch.COMBINED && offers.open())
                || offers.outstanding() + sinkAvails >= maxAdverts) {
            return AbortReason.TOO_MANY_ADVERTISEMENTS;
        }
        if (inlineBytes > 0 && offers.expected() > 0) {
            return AbortReason.ILLEGAL_IN_MODE; // what is owed comes first (6.4)
        }
        // A SinkAvail that is out wins (6.5): SrcAvails that cross it are ignored, so none is held
        // then.
        assert offers.held.isEmpty() || sinks.offered() == 0;
        if (sinks.offered() == 0) {
            offers.hold(len & 0xFFFF_FFFFL, inlineBytes, rkey, va, !zcopy || shut);
        }
        return AbortReason.NONE;
    }

    /** SrcAvailCancel (6.6), as message {@code mseq}. */
    AbortReason onSrcAvailCancel(int mseq) {
        if (offers.onCancel()) {
            credits.holdAck(mseq - 1);
        }
        return AbortReason.NONE;
    }

    /** ModeChange with S = 0: the legal ones of 7.3. */
    AbortReason onModeChange(int newMode) {
        boolean legal =
                switch (newMode) {
                    case Mch.BUFFERED -> mode == Mch.COMBINED && !offers.open();
                    case Mch.COMBINED -> mode == Mch.PIPELINED;
                    case Mch.PIPELINED -> mode == Mch.COMBINED;
                    default -> false;
                };
        if (!legal) {
            return AbortReason.BAD_MODE_CHANGE;
        }
        sinks.forgetOffers(); // there are none outside Pipelined
        mode = newMode;
        return AbortReason.NONE;
    }

    /** ChRcvBuf: our buffers keep their size, and the answer tells that size (9). */
    void onSizeRequest() {
        sizeAsked = true;
    }

    boolean sizeAnswerDue() {
        return sizeAsked;
    }

    void onSizeAnswered() {
        sizeAsked = false;
    }

    /** Whether a SinkAvail may be sent, credits aside, for what is lent and not recalled (6.3). */
    boolean mayOffer() {
        return mode == Mch.PIPELINED && !offers.unanswered() && offers.expected() == 0;
    }

    /**
     * Judges DisConn. It comes once, after the peer's own SrcAvails are processed (12.3) and after
     * the bytes of them that the peer owes (6.4): otherwise the end of stream would hide that bytes
     * are missing.
     */
    AbortReason onDisConn() {
        if (fin || offers.open() || offers.expected() > 0) {
            return AbortReason.ILLEGAL_IN_STATE;
        }
        fin = true;
        return AbortReason.NONE;
    }
}
