package io.sdp4j.wire;

/**
 * Moves the buffers lent to us as a Source, and sends the messages about them that are due and
 * allowed.
 *
 * <p>Source: docs/protocol.md 6.2, 6.3, 6.5 to 6.7 and 7.
 */
final class SourcePump {
    private final SendHalf send;
    private final Sources sources;
    private final SinkOffers offers;
    private final Credits credits;
    private final Parts parts;
    private final Suspension suspension;
    private final Emitter emitter;
    private final Features features;

    SourcePump(Parts parts) {
        send = parts.send;
        sources = send.sources;
        offers = send.offers;
        credits = parts.credits;
        this.parts = parts;
        suspension = parts.suspension;
        emitter = parts.emitter;
        features = parts.features;
    }

    /**
     * @param room advertisements that the peer can still keep track of, both halves together
     */
    void pump(int room, ActionList out) {
        fillOffers(out);
        if (offers.cancelled() && emitter.controlAllowed()) {
            emitter.control(Mid.SINK_CANCEL_ACK, ActionList.SOLICITED, 0, out);
            offers.onAckSent();
        }
        if (sources.cancel() == Sources.WANTED && emitter.controlAllowed()) {
            int mseq = emitter.control(Mid.SRC_AVAIL_CANCEL, ActionList.SOLICITED, 0, out);
            sources.onCancelSent(mseq);
        }
        if (send.pipeliningDue() && emitter.controlAllowed()) {
            emitter.control(Mid.MODE_CHANGE, 0, Mch.PIPELINED << 28, out);
            send.onPipelining();
        }
        advertise(room, out);
        sources.giveBack(out);
    }

    /** Whether the transfer of a lent buffer may begin now, considering order and suspension. */
    private boolean free() {
        return sources.free() && credits.reserved == 0 && !suspension.wanted();
    }

    /** RDMA Writes into the oldest SinkAvails, each ended by one RdmaWrCompl (6.3). */
    private void fillOffers(ActionList out) {
        while (!offers.held.isEmpty()) {
            Region target = offers.held.first();
            assert sources.outstanding() == 0; // Write zcopy wins (6.5)
            boolean mayWrite = free() && !offers.cancelled();
            Region source = mayWrite ? sources.next() : null;
            if (source != null && target.left() > 0) {
                if (sources.writes().size() >= features.writesInFlight()) {
                    return;
                }
                write(source, target, out);
            } else if (target.issued > 0 && emitter.controlAllowed()) {
                emitter.control(Mid.RDMA_WR_COMPL, ActionList.SOLICITED, (int) target.issued, out);
                offers.onCompleted();
            } else {
                return;
            }
        }
    }

    private void write(Region source, Region target, ActionList out) {
        long most = Math.min(source.left(), target.left());
        int lenBytes = (int) Math.min(most, features.rdmaBytes());
        out.rdma(
                ActionList.RDMA_WRITE,
                source.buffer,
                source.issued,
                lenBytes,
                target.va + target.issued,
                target.rkey);
        sources.onWriting(source, lenBytes);
        target.issued += lenBytes;
    }

    /** SrcAvails: one with payload in Combined, several without in Pipelined (6.2). */
    private void advertise(int room, ActionList out) {
        for (int left = room; left > 0 && free() && offers.held.isEmpty(); left--) {
            Region r = sources.next();
            if (r == null) {
                return;
            }
            if (send.pipelined()) {
                if (!emitter.controlAllowed()) {
                    return;
                }
                int mseq = emitter.srcAvail(r, 0, out);
                sources.onAdvertised(r, 0, mseq);
            } else if (sources.outstanding() > 0 || !emitter.payloadAllowed()) {
                return;
            } else {
                int most = (int) Math.min(features.inlineBytes(), r.left() - 1);
                int n = Math.min(most, parts.peerReceiveBytes - Bsdh.BYTES - SrcAh.BYTES);
                int mseq = emitter.srcAvail(r, n, out);
                sources.onAdvertised(r, n, mseq);
            }
        }
    }
}
