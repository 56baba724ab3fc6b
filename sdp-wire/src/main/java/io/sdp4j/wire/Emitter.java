package io.sdp4j.wire;

/**
 * Puts messages into the outbox, when they are due and the rules allow them.
 *
 * <p>Shape: the only place where a message gets its numbers. Messages without payload are not
 * queued: what is due is a fact of the half-connections, a pending bit here or the state, and is
 * looked at again after every event, so nothing can pile up.
 *
 * <p>Source: sdp-wire.md 4.3 to 4.5 and 12.4.
 */
final class Emitter {
    private final int receiveBytes;
    private final Lifecycle life;
    private final Credits credits;
    private final SendHalf send;
    private final ReceiveHalf receive;

    private boolean resizeAsked; // ChRcvBuf received, ChRcvBufAck not yet sent
    private boolean abortSent;

    private long messagesSent;
    private long bytesSent;
    private long creditUpdatesSent;

    Emitter(int receiveBytes, Lifecycle life, Credits credits, SendHalf send, ReceiveHalf receive) {
        this.receiveBytes = receiveBytes;
        this.life = life;
        this.credits = credits;
        this.send = send;
        this.receive = receive;
    }

    long messagesSent() {
        return messagesSent;
    }

    long bytesSent() {
        return bytesSent;
    }

    long creditUpdatesSent() {
        return creditUpdatesSent;
    }

    /** Owes the peer a ChRcvBufAck. */
    void onResizeAsked() {
        resizeAsked = true;
    }

    /** Whether a payload message may be sent now: state, credit and send depth. */
    boolean writable() {
        return (life.state() == State.ESTABLISHED || life.state() == State.PEER_FIN)
                && credits.payloadAllowed()
                && send.roomForPayload(credits.reserved());
    }

    /** Wakes a writer whose wait has just ended. */
    void wakeWriter(boolean couldWrite, Outbox out) {
        if (!couldWrite && writable()) {
            out.wake(Outbox.WRITABLE);
        }
    }

    /** A Data message with payload, whose reservation has just been given back. */
    void payload(int slot, int payloadBytes, boolean urgent, Outbox out) {
        int bsdhFlags = urgent ? Bsdh.OOB_PRES | Bsdh.OOB_PEND : 0;
        long first = Bsdh.first(Mid.DATA, bsdhFlags, credits.bufs(), Bsdh.BYTES + payloadBytes);
        int mseq = credits.onSent();
        int flags = urgent ? Outbox.SOLICITED : 0; // sdp-wire.md 14
        out.send(slot, payloadBytes, flags, first, Bsdh.second(mseq, credits.ack()));
        send.onPosted();
        messagesSent++;
        bytesSent += payloadBytes;
    }

    /**
     * Sends every message without payload that is due and allowed; what is not allowed now is
     * looked at again after the next event (sdp-wire.md 4.3 to 4.5). The credit update comes last
     * because any other message makes it superfluous.
     */
    void flush(Outbox out) {
        if (life.state() == State.ABORTING) {
            if (!abortSent && controlAllowed()) {
                abortSent = true;
                control(Mid.ABORT_CONN, Outbox.SIGNALLED | Outbox.SOLICITED, 0, out);
            }
            return;
        }
        if (!life.talking() || (send.finSent() && receive.fin())) {
            return; // after both DisConns nobody waits for anything, and the peer may hang up
        }
        int answer = receive.answerDue();
        while (answer >= 0 && controlAllowed()) {
            control(answer, Outbox.SOLICITED, 0, out);
            receive.onAnswered(answer, credits.lastSent());
            answer = receive.answerDue();
        }
        if (resizeAsked && controlAllowed()) {
            resizeAsked = false;
            control(Mid.CH_RCV_BUF_ACK, 0, receiveBytes, out);
        }
        if (send.finDue(credits.reserved()) && controlAllowed()) {
            control(Mid.DISCONN, Outbox.SIGNALLED, 0, out);
            send.onFinSent();
        }
        if (credits.updateDue() && controlAllowed() && !(send.finSent() && receive.fin())) {
            control(Mid.DATA, 0, 0, out);
            creditUpdatesSent++;
        }
    }

    private boolean controlAllowed() {
        return credits.controlAllowed() && send.roomForControl(credits.reserved());
    }

    private void control(int mid, int flags, int extension, Outbox out) {
        int headerBytes = Bsdh.BYTES + Mid.extendedBytes(mid);
        long first = Bsdh.first(mid, 0, credits.bufs(), headerBytes);
        long second = Bsdh.second(credits.onSent(), credits.ack());
        out.control(mid, headerBytes, flags, first, second, extension);
        send.onPosted();
        messagesSent++;
    }
}
