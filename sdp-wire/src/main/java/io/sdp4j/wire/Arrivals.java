package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Takes messages: checks them, tells the half they concern, and hands their slots on.
 *
 * <p>Shape: no state but counters. A message passes every check or names the violation; only then
 * is a byte of it delivered.
 *
 * <p>Source: docs/protocol.md 2.13 and appendix B.
 */
final class Arrivals {
    private final Lifecycle life;
    private final Credits credits;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Resizing sizes;
    private final Suspension suspension;
    private final boolean connecting;
    private final boolean suspending;

    private long bytesReceived;
    private long creditUpdatesReceived;
    private int delivered; // slots that the shell holds

    Arrivals(
            Lifecycle life,
            Credits credits,
            SendHalf send,
            ReceiveHalf receive,
            Resizing sizes,
            Suspension suspension,
            boolean connecting,
            boolean suspending) {
        this.life = life;
        this.credits = credits;
        this.send = send;
        this.receive = receive;
        this.sizes = sizes;
        this.suspension = suspension;
        this.connecting = connecting;
        this.suspending = suspending;
    }

    long bytesReceived() {
        return bytesReceived;
    }

    long creditUpdatesReceived() {
        return creditUpdatesReceived;
    }

    /** Whether the shell holds slots with bytes that come before any other. */
    boolean unread() {
        return delivered > 0;
    }

    void onConsumed(int slot, ActionList out) {
        delivered--;
        repost(slot, false, out);
    }

    /** A message does what it says, or names why it must not. */
    AbortReason take(int slot, MemorySegment m, long at, int byteLen, ActionList out) {
        sizes.onArrival();
        AbortReason fault = examine(m, at, byteLen);
        if (fault != AbortReason.NONE) {
            return fault;
        }
        if (suspension.peerSilent() && !isUpdate(m, at, byteLen)) {
            return AbortReason.ILLEGAL_IN_STATE; // nothing else follows SuspComm (10)
        }
        receive.offers.onAck(credits, send.sources.acksHeldBack(credits));
        send.offers.onAck(credits);
        fault = dispatch(slot, m, at, byteLen, out);
        if (fault == AbortReason.NONE && (Bsdh.flags(m, at) & Bsdh.OOB_PEND) != 0) {
            out.wake(ActionList.URGENT); // on any message (8)
        }
        return fault;
    }

    /** Everything that can be checked before the message means anything (docs/protocol.md 2.13). */
    AbortReason examine(MemorySegment m, long at, int byteLen) {
        AbortReason fault =
                switch (Bsdh.check(m, at, byteLen)) {
                    case NONE -> AbortReason.NONE;
                    case SHORT -> AbortReason.SHORT_MESSAGE;
                    case LENGTH -> AbortReason.BAD_LENGTH;
                    case RESERVED_MID -> AbortReason.RESERVED_MID;
                    case TRUNCATED -> AbortReason.TRUNCATED_HEADER;
                    case PAYLOAD -> AbortReason.UNEXPECTED_PAYLOAD;
                    case URGENT -> AbortReason.BAD_URGENT_FLAG;
                };
        if (fault != AbortReason.NONE) {
            return fault;
        }
        if (byteLen > sizes.ownBytes()) {
            return AbortReason.MESSAGE_TOO_LONG;
        }
        return credits.accept(Bsdh.mseq(m, at), Bsdh.mseqAck(m, at), Bsdh.bufs(m, at));
    }

    private static boolean isUpdate(MemorySegment m, long at, int byteLen) {
        return Bsdh.mid(m, at) == Mid.DATA && byteLen == Bsdh.BYTES;
    }

    /**
     * Receive actions by MID (docs/protocol.md appendix B). The slot is handed back here, or never.
     */
    private AbortReason dispatch(int slot, MemorySegment m, long at, int byteLen, ActionList out) {
        int mid = Bsdh.mid(m, at);
        long header = at + Bsdh.BYTES;
        if (mid == Mid.DATA) {
            return onData(slot, Bsdh.flags(m, at), byteLen, out);
        }
        if (mid == Mid.SRC_AVAIL) {
            return onSrcAvail(slot, m, header, byteLen, out);
        }
        if (mid == Mid.SINK_AVAIL) {
            return onSinkAvail(slot, m, header, byteLen, out);
        }
        if (Mid.experimental(mid)) {
            repost(slot, false, out); // counted, dropped (2.13)
            return AbortReason.NONE;
        }
        int ack = Bsdh.mseqAck(m, at);
        AbortReason fault =
                switch (mid) {
                    case Mid.DISCONN -> receive.onDisConn();
                    case Mid.ABORT_CONN -> // takes an earlier DisConn back, else illegal (12.3)
                            receive.fin() ? AbortReason.PEER_ABORT : AbortReason.ILLEGAL_IN_STATE;
                    case Mid.SEND_SM -> {
                        send.sources.onSendSm(ack);
                        yield AbortReason.NONE;
                    }
                    case Mid.RDMA_WR_COMPL -> onRdmaWrCompl(RwCh.len(m, header), out);
                    case Mid.RDMA_RD_COMPL -> send.sources.onRdmaRdCompl(RrCh.len(m, header), ack);
                    case Mid.MODE_CHANGE ->
                            Mch.sendHalf(m, header)
                                    ? send.onModeChange(Mch.mode(m, header))
                                    : receive.onModeChange(Mch.mode(m, header));
                    case Mid.SRC_AVAIL_CANCEL -> receive.onSrcAvailCancel(Bsdh.mseq(m, at));
                    case Mid.SINK_AVAIL_CANCEL -> {
                        send.offers.onCancel();
                        yield AbortReason.NONE;
                    }
                    case Mid.SINK_CANCEL_ACK -> receive.sinks.onSinkCancelAck(ack, out);
                    case Mid.CH_RCV_BUF -> {
                        int posted = credits.posted();
                        sizes.onRequest(CrbH.desiredBytes(m, header), connecting, ack, posted, out);
                        yield AbortReason.NONE;
                    }
                    case Mid.CH_RCV_BUF_ACK -> sizes.onAnswer(CrbAh.actualBytes(m, header));
                    case Mid.SUSP_COMM -> onSuspComm(m, header);
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

    private AbortReason onData(int slot, int flags, int byteLen, ActionList out) {
        int payloadBytes = byteLen - Bsdh.BYTES;
        if (payloadBytes == 0) {
            creditUpdatesReceived++;
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

    private AbortReason onSrcAvail(
            int slot, MemorySegment m, long header, int byteLen, ActionList out) {
        int offset = Bsdh.BYTES + SrcAh.BYTES;
        int payloadBytes = byteLen - offset;
        AbortReason fault =
                receive.onSrcAvail(
                        SrcAh.len(m, header),
                        SrcAh.lenLegal(m, header),
                        SrcAh.rkey(m, header),
                        SrcAh.va(m, header),
                        payloadBytes,
                        send.offers.size());
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

    /** Payload first, as of any message, then the advertisement (6.3, 6.5). */
    private AbortReason onSinkAvail(
            int slot, MemorySegment m, long header, int byteLen, ActionList out) {
        int offset = Bsdh.BYTES + SnkAh.BYTES;
        int payloadBytes = byteLen - offset;
        AbortReason fault = payloadBytes > 0 ? receive.onTransaction() : AbortReason.NONE;
        if (fault == AbortReason.NONE) {
            fault =
                    send.onSinkAvail(
                            SnkAh.len(m, header),
                            SnkAh.lenLegal(m, header),
                            SnkAh.rkey(m, header),
                            SnkAh.va(m, header),
                            SnkAh.nonDiscards(m, header),
                            sizes.peerBytes(),
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

    private AbortReason onSuspComm(MemorySegment m, long header) {
        if (!suspending) {
            return AbortReason.SUSPEND_UNSUPPORTED; // never ignored (10)
        }
        if (receive.fin()) {
            return AbortReason.ILLEGAL_IN_STATE; // while our DisConn may have crossed it
        }
        if (!SuspCh.legal(m, header)) {
            return AbortReason.BAD_ADVERTISEMENT;
        }
        suspension.onRequest(SuspCh.port(m, header), connecting);
        return AbortReason.NONE;
    }

    /** Stream bytes, or the promise of some, for the application if it still reads. */
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
        receive.sinks.onPayload(out); // after the bytes: a buffer given back finds them
        return AbortReason.NONE;
    }

    private void repost(int slot, boolean wasUpdate, ActionList out) {
        credits.onReposted(wasUpdate);
        out.repost(slot);
    }
}
