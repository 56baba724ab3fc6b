package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Takes each received message: checks it, tells the half that it concerns, and passes its slot on.
 *
 * <p>Shape: no state but counters. A message is checked completely before a byte of it is
 * delivered; the first check that fails names the violation.
 *
 * <p>Source: docs/protocol.md 2.13 and appendix B.
 */
final class Arrivals {
    private final Lifecycle life;
    private final Credits credits;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Parts parts;
    private final int receiveBytes;
    private final Suspension suspension;

    long bytesReceived;
    int delivered; // slots that the shell holds

    Arrivals(Parts parts) {
        life = parts.life;
        credits = parts.credits;
        send = parts.send;
        receive = parts.receive;
        this.parts = parts;
        receiveBytes = parts.config.receiveBytes();
        suspension = parts.suspension;
    }

    long bytesReceived() {
        return bytesReceived;
    }

    /** Whether the shell holds delivered slots: their bytes come first in the stream. */
    boolean unread() {
        return delivered > 0;
    }

    void onConsumed(int slot, ActionList out) {
        delivered--;
        repost(slot, false, out);
    }

    /** Carries out one message. Returns NONE, or why the stream must be cut. */
    AbortReason take(
            int slot, long first, long second, MemorySegment more, int byteLen, ActionList out) {
        AbortReason fault = examine(first, second, byteLen);
        if (fault != AbortReason.NONE) {
            return fault;
        }
        if (life.bcopyOnly && Bsdh.mid(first) == Mid.DATA) {
            onBcopy(slot, Bsdh.flags(first), byteLen - Bsdh.BYTES, out);
            return AbortReason.NONE;
        }
        life.bcopyOnly = false; // until the schedule has seen what this message brings
        if (suspension.peerSilent() && !isUpdate(first, byteLen)) {
            return AbortReason.ILLEGAL_IN_STATE; // nothing else follows SuspComm (10)
        }
        receive.offers.onAck(credits, send.sources.acksHeldBack(credits));
        return dispatch(slot, first, second, more, byteLen, out);
    }

    /**
     * Checks header, length and credit, and takes over the sequence numbers (docs/protocol.md
     * 2.13).
     */
    AbortReason examine(long first, long second, int byteLen) {
        AbortReason fault = Bsdh.check(first, byteLen);
        if (fault != AbortReason.NONE) {
            return fault;
        }
        if (byteLen > receiveBytes) {
            return AbortReason.MESSAGE_TOO_LONG;
        }
        return credits.accept(Bsdh.mseq(second), Bsdh.mseqAck(second), Bsdh.bufs(first));
    }

    private static boolean isUpdate(long first, int byteLen) {
        return Bsdh.mid(first) == Mid.DATA && byteLen == Bsdh.BYTES;
    }

    /**
     * Carries out the receive action of the MID (docs/protocol.md appendix B). Unless there is a
     * fault, the slot is delivered or reposted here.
     */
    private AbortReason dispatch(
            int slot, long first, long second, MemorySegment more, int byteLen, ActionList out) {
        int mid = Bsdh.mid(first);
        if (mid == Mid.DATA) {
            return onData(slot, Bsdh.flags(first), byteLen, out);
        }
        if (mid == Mid.SRC_AVAIL) {
            return onSrcAvail(slot, more, byteLen, out);
        }
        if (mid == Mid.SINK_AVAIL) {
            return onSinkAvail(slot, more, byteLen, out);
        }
        if (Mid.experimental(mid)) {
            repost(slot, false, out); // counted, dropped (2.13)
            return AbortReason.NONE;
        }
        int ack = Bsdh.mseqAck(second);
        AbortReason fault =
                switch (mid) {
                    case Mid.DISCONN -> receive.onDisConn();
                    case Mid.ABORT_CONN -> // takes an earlier DisConn back, else illegal (12.3)
                            receive.fin() ? AbortReason.PEER_ABORT : AbortReason.ILLEGAL_IN_STATE;
                    case Mid.SEND_SM -> {
                        send.sources.onSendSm(ack);
                        yield AbortReason.NONE;
                    }
                    case Mid.RDMA_WR_COMPL -> onRdmaWrCompl(more.get(Wire.INT, 0), out);
                    case Mid.RDMA_RD_COMPL ->
                            send.sources.onRdmaRdCompl(more.get(Wire.INT, 0), ack);
                    case Mid.MODE_CHANGE ->
                            Mch.sendHalf(more, 0) // out of Buffered, where we never are (7.3)
                                    ? AbortReason.BAD_MODE_CHANGE
                                    : receive.onModeChange(Mch.mode(more, 0));
                    case Mid.SRC_AVAIL_CANCEL -> receive.onSrcAvailCancel(Bsdh.mseq(second));
                    case Mid.SINK_AVAIL_CANCEL -> {
                        send.offers.onCancel();
                        yield AbortReason.NONE;
                    }
                    case Mid.SINK_CANCEL_ACK -> receive.sinks.onSinkCancelAck(ack, out);
                    case Mid.CH_RCV_BUF -> {
                        receive.onSizeRequest();
                        yield AbortReason.NONE;
                    }
                    case Mid.CH_RCV_BUF_ACK -> AbortReason.UNEXPECTED_ANSWER; // never asked (9)
                    case Mid.SUSP_COMM -> onSuspComm(more);
                    case Mid.SUSP_COMM_ACK ->
                            suspension.onAnswer()
                                    ? AbortReason.NONE
                                    : AbortReason.UNEXPECTED_ANSWER;
                    default -> AbortReason.ILLEGAL_IN_STATE; // Hello, HelloAck
                };
        if (fault == AbortReason.NONE) {
            repost(slot, false, out);
            if (mid == Mid.DISCONN) {
                receive.sinks.giveUp(out);
                life.onPeerFin(out);
            }
        }
        return fault;
    }

    /**
     * Takes Data while {@link Lifecycle#bcopyOnly}: it is always legal, and payload goes to the
     * reader.
     */
    private void onBcopy(int slot, int flags, int payloadBytes, ActionList out) {
        if (payloadBytes == 0) {
            repost(slot, true, out);
            return;
        }
        bytesReceived += payloadBytes;
        out.deliver(slot, Bsdh.BYTES, payloadBytes, flags & (Bsdh.OOB_PRES | Bsdh.OOB_PEND));
        delivered++;
        receive.sinks.onPayload(out);
    }

    private AbortReason onData(int slot, int flags, int byteLen, ActionList out) {
        int payloadBytes = byteLen - Bsdh.BYTES;
        if (payloadBytes == 0) {
            repost(slot, true, out);
            return AbortReason.NONE;
        }
        AbortReason fault = receive.onData(payloadBytes);
        if (fault == AbortReason.NONE) {
            int urgentFlags = flags & (Bsdh.OOB_PRES | Bsdh.OOB_PEND);
            fault = deliver(slot, Bsdh.BYTES, payloadBytes, urgentFlags, out);
        }
        return fault;
    }

    private AbortReason onSrcAvail(int slot, MemorySegment more, int byteLen, ActionList out) {
        int offset = Bsdh.BYTES + SrcAh.BYTES;
        int payloadBytes = byteLen - offset;
        AbortReason fault =
                receive.onSrcAvail(
                        SrcAh.len(more, 0),
                        SrcAh.lenLegal(more, 0),
                        SrcAh.rkey(more, 0),
                        SrcAh.va(more, 0),
                        payloadBytes,
                        send.offers.held.size());
        if (fault != AbortReason.NONE) {
            return fault;
        }
        if (payloadBytes > 0 && receive.sinks.place(slot, offset, payloadBytes, out)) {
            bytesReceived += payloadBytes;
            repost(slot, false, out);
            return AbortReason.NONE;
        }
        fault = deliver(slot, offset, payloadBytes, 0, out);
        if (receive.offeredBytes() > 0) {
            out.wake(ActionList.READABLE);
        }
        return fault;
    }

    /** Judges the payload first, as that of any message, then the advertisement (6.3, 6.5). */
    private AbortReason onSinkAvail(int slot, MemorySegment more, int byteLen, ActionList out) {
        int offset = Bsdh.BYTES + SnkAh.BYTES;
        int payloadBytes = byteLen - offset;
        AbortReason fault = payloadBytes > 0 ? receive.onTransaction() : AbortReason.NONE;
        if (fault == AbortReason.NONE) {
            fault =
                    send.onSinkAvail(
                            SrcAh.len(more, 0),
                            SrcAh.lenLegal(more, 0),
                            SrcAh.rkey(more, 0),
                            SrcAh.va(more, 0),
                            SnkAh.nonDiscards(more, 0),
                            parts.peerReceiveBytes,
                            receive.offers.outstanding());
        }
        if (fault != AbortReason.NONE) {
            return fault;
        }
        if (payloadBytes == 0) {
            repost(slot, false, out);
            return AbortReason.NONE;
        }
        return deliver(slot, offset, payloadBytes, 0, out);
    }

    private AbortReason onRdmaWrCompl(int len, ActionList out) {
        boolean filled = receive.sinks.offered() > 0 && len != 0;
        AbortReason fault = receive.sinks.onRdmaWrCompl(len, out);
        if (fault == AbortReason.NONE && filled && life.closeCalled()) {
            return AbortReason.DATA_AFTER_CLOSE;
        }
        return fault;
    }

    private AbortReason onSuspComm(MemorySegment more) {
        if (!parts.features.suspending()) {
            return AbortReason.SUSPEND_UNSUPPORTED; // never ignored (10)
        }
        if (receive.fin()) {
            return AbortReason.ILLEGAL_IN_STATE; // after its own DisConn; only ours may cross it
        }
        if (!SuspCh.legal(more, 0)) {
            return AbortReason.BAD_ADVERTISEMENT;
        }
        suspension.onRequest(SuspCh.port(more, 0), parts.connecting);
        return AbortReason.NONE;
    }

    /**
     * Delivers payload if the application still reads. A SrcAvail without payload promises bytes,
     * so after a close it cuts the stream, too.
     */
    private AbortReason deliver(int slot, int offset, int payloadBytes, int flags, ActionList out) {
        if (life.closeCalled()) {
            return AbortReason.DATA_AFTER_CLOSE; // RFC 1122 4.2.2.13, docs/protocol.md 12.2
        }
        bytesReceived += payloadBytes;
        if (payloadBytes == 0) {
            repost(slot, false, out);
            return AbortReason.NONE;
        }
        if (receive.shut()) {
            repost(slot, false, out);
        } else {
            out.deliver(slot, offset, payloadBytes, flags);
            delivered++;
        }
        receive.sinks.onPayload(out); // after the bytes: they are there when a buffer comes back
        return AbortReason.NONE;
    }

    private void repost(int slot, boolean wasUpdate, ActionList out) {
        credits.onReposted(wasUpdate);
        out.repost(slot);
    }
}
