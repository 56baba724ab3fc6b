package io.sdp4j.wire;

/**
 * The half-connection on which we are the Source.
 *
 * <p>Shape: its mode, Combined until several buffers are lent, and Pipelined from then on; where
 * our DisConn stands: not wanted, wanted, sent, completed; the buffers lent to us and the
 * SinkAvails of the peer.
 *
 * <p>Source: docs/protocol.md 6, 7 and 12.4.
 */
final class SendHalf {
    final Sources sources;
    final SinkOffers offers = new SinkOffers();
    private final Credits credits;
    private final boolean pipelining;
    private final int maxAdverts;

    private boolean pipelined; // else Combined
    private boolean pipelinedWanted;
    private boolean finWanted;
    private boolean finSent;
    private boolean finCompleted;

    SendHalf(WireConfig config, Credits credits) {
        this.credits = credits;
        this.sources = new Sources(config.features().lentBuffers());
        this.pipelining = config.features().pipelining();
        this.maxAdverts = config.maxAdverts();
    }

    boolean pipelined() {
        return pipelined;
    }

    /** Takes a buffer; several of them are a reason to pipeline (7.4). */
    boolean lend(int buffer, long lenBytes, int rkey, long va, int peerMaxAdverts) {
        if (finWanted || !sources.lend(buffer, lenBytes, rkey, va)) {
            return false;
        }
        // A peer that keeps track of one advertisement gains nothing, and may not know ModeChange.
        if (pipelining && sources.size() > 1 && peerMaxAdverts > 1) {
            pipeline();
        }
        return true;
    }

    void pipeline() {
        pipelinedWanted = true;
    }

    /** Whether this half has work beyond buffered copy. */
    boolean busy() {
        return !sources.isEmpty()
                || !offers.held.isEmpty()
                || offers.cancelled()
                || pipelined != pipelinedWanted;
    }

    /** Whether payload is copied, in order, and this half has no other work. */
    boolean bcopyOnly() {
        return !busy() && sources.idle() && !finWanted;
    }

    /** Whether the application has ended its output. */
    boolean shut() {
        return finWanted;
    }

    void shutDown() {
        finWanted = true;
    }

    /**
     * Whether DisConn may leave, credits aside: after every byte that is reserved, lent or owed
     * (12.4). RdmaWrCompl and SinkCancelAck go first, too; where there are credits, they have left.
     */
    boolean finDue() {
        return finWanted
                && !finSent
                && credits.reserved == 0
                && sources.isEmpty()
                && sources.owed() == 0;
    }

    /** DisConn leaves: it voids the peer's SinkAvails (12.2). */
    void onFinSent() {
        finSent = true;
        offers.giveUp();
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

    /**
     * Whether a Data message with payload fits the order of the stream: no lent buffer comes before
     * it, or its bytes are owed (6.2, 6.4). RdmaWrCompl goes first; where there are credits, it has
     * left.
     */
    boolean payloadInOrder() {
        return sources.owed() > 0 || (sources.isEmpty() && !finWanted);
    }

    /** A Data message with payload leaves. */
    void onPayloadSent(int payloadBytes) {
        offers.onPayloadSent();
        if (sources.owed > 0) {
            sources.onOwedSent(payloadBytes);
        }
    }

    /** Whether our ModeChange is due, credits aside; no other message need precede it (7.3). */
    boolean pipeliningDue() {
        return pipelinedWanted && !pipelined && !finSent;
    }

    /** Our ModeChange leaves. */
    void onPipelining() {
        pipelined = true;
    }

    /**
     * Judges a SinkAvail whose payload was already judged, and holds it (6.3, 6.5).
     *
     * @param lenLegal whether {@code len}, unsigned, is in 1..2^31
     * @param peerReceiveBytes size of the Sink's own private buffers
     * @param srcAvails the peer's SrcAvails that are outstanding: they share the limit (2.13)
     */
    AbortReason onSinkAvail(
            int len,
            boolean lenLegal,
            int rkey,
            long va,
            int nonDiscards,
            int peerReceiveBytes,
            int srcAvails) {
        if (!lenLegal) {
            return AbortReason.BAD_ADVERTISEMENT; // even if it is stale (2.13)
        }
        if (!pipelined) {
            return AbortReason.ILLEGAL_IN_MODE;
        }
        if (offers.stale(nonDiscards)) {
            return AbortReason.NONE; // the rules that follow are for one that is used (16.1)
        }
        long lenBytes = len & 0xFFFF_FFFFL;
        if (lenBytes <= peerReceiveBytes) {
            return AbortReason.BAD_ADVERTISEMENT;
        }
        if (offers.held.size() + srcAvails >= maxAdverts) {
            return AbortReason.TOO_MANY_ADVERTISEMENTS;
        }
        if (finSent) {
            return AbortReason.NONE; // our DisConn crosses it, and voids it
        }
        sources.withdraw(); // Write zcopy wins
        offers.hold(lenBytes, rkey, va);
        return AbortReason.NONE;
    }
}
