package io.sdp4j.wire;

/**
 * Puts messages into the action list: the only place where a message gets its numbers, except for
 * {@link BufferedCopy#send}.
 *
 * <p>Shape: counts the sends under way in the queue pair below. RDMA operations are counted
 * separately ({@link Flights}): the shell makes the queue deep enough for both.
 *
 * <p>Source: docs/protocol.md 2.1, 4.3, 8 and 14.
 */
final class Emitter {
    /**
     * Places of the send queue that payload leaves to control messages, as it does with credits.
     */
    static final int CONTROL_SENDS = 1;

    private final Lifecycle life;
    private final Credits credits;
    private final SendHalf send;
    private final Suspension suspension;

    final int depth;
    int inFlight;
    long messagesSent;
    long bytesSent;

    Emitter(Parts parts) {
        life = parts.life;
        credits = parts.credits;
        send = parts.send;
        suspension = parts.suspension;
        depth = parts.config.sendDepth();
    }

    long messagesSent() {
        return messagesSent;
    }

    long bytesSent() {
        return bytesSent;
    }

    /** Whether a Data message with payload may be sent now: state, order, credit, send depth. */
    boolean writable() {
        return life.talking()
                && !(suspension.wanted() && send.sources.owed() == 0)
                && send.payloadInOrder()
                && payloadAllowed();
    }

    /** Wakes a writer that could not write before, if it can now. */
    void wakeWriter(ActionList out) {
        if (writable()) {
            out.wake(ActionList.WRITABLE);
        }
    }

    boolean payloadAllowed() {
        return credits.payloadAllowed() && depth - inFlight - credits.reserved > CONTROL_SENDS;
    }

    boolean controlAllowed() {
        return credits.controlAllowed() && depth - inFlight - credits.reserved > 0;
    }

    /** A Data message with payload, whose reservation has just been given back. */
    void payload(int slot, int payloadBytes, boolean urgent, ActionList out) {
        int bsdhFlags = urgent ? Bsdh.OOB_PRES | Bsdh.OOB_PEND : 0;
        long first = Bsdh.first(Mid.DATA, bsdhFlags, credits.posted(), Bsdh.BYTES + payloadBytes);
        int flags = urgent ? ActionList.SOLICITED : 0;
        out.send(slot, payloadBytes, flags, first, credits.onSent());
        send.onPayloadSent(payloadBytes);
        posted(payloadBytes);
    }

    /** A credit update. */
    void emptyData(ActionList out) {
        control(Mid.DATA, ActionList.QUIET, 0, out);
    }

    /**
     * A message without payload.
     *
     * @param flags of the action
     * @param extension first four bytes of its extended header
     * @return its MSeq
     */
    int control(int mid, int flags, int extension, ActionList out) {
        message(mid, 0, flags, extension, 0, out);
        return credits.lastSent();
    }

    /** RdmaRdCompl, with or without the hint that Pipelined would be welcome (2.3). */
    int rdmaRdCompl(int lenBytes, boolean reqPipe, ActionList out) {
        int bsdhFlags = reqPipe ? Bsdh.REQ_PIPE : 0;
        message(Mid.RDMA_RD_COMPL, bsdhFlags, ActionList.SOLICITED, lenBytes, 0, out);
        return credits.lastSent();
    }

    /** SrcAvail for the rest of a region, {@code inlineBytes} of it as payload. */
    int srcAvail(Region r, int inlineBytes, ActionList out) {
        Action row = message(Mid.SRC_AVAIL, 0, 0, (int) r.left(), inlineBytes, out);
        row.rkey = r.rkey;
        row.remoteAddress = r.va + r.issued;
        if (inlineBytes > 0) {
            row.kind = ActionList.SEND_LENT;
            row.buffer = r.buffer;
            row.bufferOffset = r.issued;
            row.bytes = inlineBytes;
            send.offers.onPayloadSent();
            bytesSent += inlineBytes;
        }
        return credits.lastSent();
    }

    /** SinkAvail for a region. */
    void sinkAvail(Region r, int nonDiscards, ActionList out) {
        Action row = message(Mid.SINK_AVAIL, 0, 0, (int) r.lenBytes, 0, out);
        row.rkey = r.rkey;
        row.remoteAddress = r.va;
        row.discards = nonDiscards;
    }

    private Action message(
            int mid, int bsdhFlags, int flags, int extension, int payloadBytes, ActionList out) {
        int headerBytes = Bsdh.BYTES + Mid.extendedBytes(mid);
        int lenBytes = headerBytes + payloadBytes;
        long first = Bsdh.first(mid, bsdhFlags, credits.posted(), lenBytes);
        posted(0);
        return out.control(headerBytes, flags, first, credits.onSent(), extension);
    }

    private void posted(int payloadBytes) {
        if (depth != Integer.MAX_VALUE) {
            inFlight++;
        }
        messagesSent++;
        bytesSent += payloadBytes;
    }

    void onCompleted(int count) {
        if (depth != Integer.MAX_VALUE) {
            assert count <= inFlight : "more completions than sends";
            inFlight -= count;
        }
    }
}
