package io.sdp4j.wire;

/**
 * Fills the buffers lent to us as a Sink, and sends the answers and offers that are due and
 * allowed.
 *
 * <p>Source: docs/protocol.md 6.2 to 6.7.
 */
final class SinkPump {
    private final ReceiveHalf receive;
    private final SourceOffers offers;
    private final Sinks sinks;
    private final Credits credits;
    private final Suspension suspension;
    private final Emitter emitter;
    private final Parts parts;
    private final Features features;

    SinkPump(Parts parts) {
        receive = parts.receive;
        offers = receive.offers;
        sinks = receive.sinks;
        credits = parts.credits;
        suspension = parts.suspension;
        emitter = parts.emitter;
        this.parts = parts;
        features = parts.features;
    }

    void onReadsCompleted(int count) {
        for (int i = 0; i < count; i++) {
            sinks.onRead(offers.onRead());
        }
    }

    /**
     * @param acksHeldBack whether the peer may be holding its MSeqAck back
     */
    void pump(boolean acksHeldBack, ActionList out) {
        read(out);
        answer(out);
        sinks.giveBack(out);
        if (sinks.mayCancel(acksHeldBack) && emitter.controlAllowed()) {
            sinks.onCancelSent(
                    emitter.control(Mid.SINK_AVAIL_CANCEL, ActionList.SOLICITED, 0, out));
        }
    }

    /** RDMA Reads from the oldest offers into the oldest buffers (6.2). */
    private void read(ActionList out) {
        while (offers.reads().size() < parts.ord && !suspension.wanted()) {
            Region from = offers.readable();
            Region into = sinks.fillable();
            if (from == null || into == null) {
                return;
            }
            long most = Math.min(from.left(), into.left());
            int lenBytes = (int) Math.min(most, features.rdmaBytes());
            out.rdma(
                    ActionList.RDMA_READ,
                    into.buffer,
                    into.issued,
                    lenBytes,
                    from.va + from.issued,
                    from.rkey);
            offers.onReading(from, lenBytes);
            sinks.onReading(into, lenBytes);
        }
    }

    /** RdmaRdCompl and SendSm for the oldest offers, in order (6.2, 6.4, 6.6). */
    private void answer(ActionList out) {
        // A peer whose messages we do not acknowledge may be out of credits, and so may we. Once no
        // RDMA Read is under way, the acknowledgement need not wait for the answers.
        if (offers.reads().size() == 0 && !emitter.controlAllowed()) {
            credits.releaseAck();
        }
        while (offers.emptyReads() > 0 && emitter.controlAllowed()) {
            offers.onEmptyReadAnswered(emitter.rdmaRdCompl(0, features.pipelining(), out));
        }
        boolean more = true;
        while (more && !offers.held.isEmpty() && emitter.controlAllowed()) {
            more = answerFirst(out);
        }
        if (offers.cancelCarriedOut()) {
            credits.releaseAck();
        }
        if (offers.sendSmDue() && emitter.controlAllowed()) {
            offers.onSendSmSent(emitter.control(Mid.SEND_SM, ActionList.SOLICITED, 0, out));
        }
    }

    /** Sends an answer about the oldest offer, or drops it; false when there is nothing to do. */
    private boolean answerFirst(ActionList out) {
        Region r = offers.held.first();
        if (r.moving()) {
            return false;
        }
        int untold = (int) (r.done - r.inlineBytes - r.reported);
        if (untold != 0) { // and nothing more is being read: all is told
            int mseq = emitter.rdmaRdCompl(untold, features.pipelining(), out);
            r.reported += untold & 0xFFFF_FFFFL;
            if (r.left() == 0) {
                offers.onProcessed(false, mseq);
            }
        } else if (offers.cancelled()) {
            offers.onCutShort();
        } else if (r.refused) {
            int mseq = emitter.control(Mid.SEND_SM, ActionList.SOLICITED, 0, out);
            offers.onProcessed(true, mseq);
        } else {
            return false;
        }
        return true;
    }

    /** SinkAvails, oldest buffer first (6.3). */
    void offer(int room, ActionList out) {
        for (int left = room; left > 0 && receive.mayOffer() && !suspension.wanted(); left--) {
            Region r = sinks.offerable(parts.config.receiveBytes());
            if (r == null || !emitter.controlAllowed()) {
                return;
            }
            emitter.sinkAvail(r, sinks.n(), out);
            sinks.onOffered();
        }
    }
}
