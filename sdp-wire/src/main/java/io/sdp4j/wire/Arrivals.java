package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Takes messages: checks them, tells the half they concern, and hands their slots on.
 *
 * <p>Shape: no state but counters. A message passes every check or names the violation; only then
 * is a byte of it delivered.
 *
 * <p>Source: sdp-wire.md 2.13 and appendix B.
 */
final class Arrivals {
    private final int receiveBytes;
    private final Lifecycle life;
    private final Credits credits;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Emitter emitter;

    private long bytesReceived;
    private long creditUpdatesReceived;

    Arrivals(
            int receiveBytes,
            Lifecycle life,
            Credits credits,
            SendHalf send,
            ReceiveHalf receive,
            Emitter emitter) {
        this.receiveBytes = receiveBytes;
        this.life = life;
        this.credits = credits;
        this.send = send;
        this.receive = receive;
        this.emitter = emitter;
    }

    long bytesReceived() {
        return bytesReceived;
    }

    long creditUpdatesReceived() {
        return creditUpdatesReceived;
    }

    /** A message does what it says, or names why it must not. */
    AbortReason take(int slot, MemorySegment m, long at, int byteLen, Outbox out) {
        AbortReason fault = examine(m, at, byteLen);
        if (fault == AbortReason.NONE) {
            receive.onAck(credits);
            fault = dispatch(slot, m, at, byteLen, out);
        }
        return fault;
    }

    /** Everything that can be checked before the message means anything (sdp-wire.md 2.13). */
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
        if (byteLen > receiveBytes) {
            return AbortReason.MESSAGE_TOO_LONG;
        }
        return credits.accept(Bsdh.mseq(m, at), Bsdh.mseqAck(m, at), Bsdh.bufs(m, at));
    }

    /** Receive actions by MID (sdp-wire.md appendix B). The slot is handed back here, or never. */
    private AbortReason dispatch(int slot, MemorySegment m, long at, int byteLen, Outbox out) {
        int mid = Bsdh.mid(m, at);
        long header = at + Bsdh.BYTES;
        if (mid == Mid.DATA) {
            return onData(slot, Bsdh.flags(m, at), byteLen, out);
        }
        if (mid == Mid.SRC_AVAIL) {
            return onSrcAvail(slot, m, header, byteLen, out);
        }
        if (Mid.experimental(mid)) {
            repost(slot, false, out); // counted, dropped (2.13)
            return AbortReason.NONE;
        }
        AbortReason fault =
                switch (mid) {
                    case Mid.DISCONN -> receive.onDisConn();
                    case Mid.ABORT_CONN -> // takes an earlier DisConn back, else illegal (12.3)
                            receive.fin() ? AbortReason.PEER_ABORT : AbortReason.ILLEGAL_IN_STATE;
                    case Mid.SEND_SM -> send.onSendSm();
                    case Mid.RDMA_WR_COMPL -> receive.onRdmaWrCompl();
                    case Mid.RDMA_RD_COMPL -> send.onRdmaRdCompl();
                    case Mid.MODE_CHANGE ->
                            Mch.sendHalf(m, header)
                                    ? send.onModeChange(Mch.mode(m, header))
                                    : receive.onModeChange(Mch.mode(m, header));
                    case Mid.SRC_AVAIL_CANCEL -> receive.onSrcAvailCancel();
                    case Mid.SINK_AVAIL -> send.onSinkAvail();
                    case Mid.SINK_AVAIL_CANCEL -> send.onSinkAvailCancel();
                    case Mid.SINK_CANCEL_ACK -> receive.onSinkCancelAck();
                    case Mid.CH_RCV_BUF -> {
                        emitter.onResizeAsked(); // answered with the old size: refused (9)
                        yield AbortReason.NONE;
                    }
                    case Mid.CH_RCV_BUF_ACK, Mid.SUSP_COMM_ACK -> AbortReason.UNEXPECTED_ANSWER;
                    case Mid.SUSP_COMM -> AbortReason.SUSPEND_UNSUPPORTED; // never ignored (10)
                    default -> AbortReason.ILLEGAL_IN_STATE; // Hello, HelloAck
                };
        if (fault == AbortReason.NONE) {
            repost(slot, false, out);
            if (mid == Mid.DISCONN) {
                life.onPeerFin(out);
            }
        }
        return fault;
    }

    private AbortReason onData(int slot, int flags, int byteLen, Outbox out) {
        int payloadBytes = byteLen - Bsdh.BYTES;
        if (payloadBytes == 0) {
            creditUpdatesReceived++;
            repost(slot, true, out);
            return AbortReason.NONE;
        }
        AbortReason fault = receive.onPayload();
        if (fault == AbortReason.NONE) {
            int urgentFlags = flags & (Bsdh.OOB_PRES | Bsdh.OOB_PEND);
            fault = deliver(slot, Bsdh.BYTES, payloadBytes, urgentFlags, out);
        }
        return fault;
    }

    private AbortReason onSrcAvail(
            int slot, MemorySegment m, long header, int byteLen, Outbox out) {
        int offset = Bsdh.BYTES + SrcAh.BYTES;
        int payloadBytes = byteLen - offset;
        AbortReason fault =
                receive.onSrcAvail(SrcAh.len(m, header), SrcAh.lenLegal(m, header), payloadBytes);
        if (fault != AbortReason.NONE) {
            return fault;
        }
        return deliver(slot, offset, payloadBytes, 0, out);
    }

    /** Stream bytes, or the promise of some, for the application if it still reads. */
    private AbortReason deliver(int slot, int offset, int payloadBytes, int flags, Outbox out) {
        if (life.closeCalled()) {
            return AbortReason.DATA_AFTER_CLOSE; // RFC 1122 4.2.2.13, sdp-wire.md 12.2
        }
        bytesReceived += payloadBytes;
        if (payloadBytes == 0 || receive.shut()) {
            repost(slot, false, out);
        } else {
            out.deliver(slot, offset, payloadBytes, flags);
        }
        return AbortReason.NONE;
    }

    void repost(int slot, boolean wasUpdate, Outbox out) {
        credits.onReposted(wasUpdate);
        out.repost(slot);
    }
}
