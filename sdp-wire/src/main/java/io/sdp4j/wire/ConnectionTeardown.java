package io.sdp4j.wire;

/**
 * How a connection ends: in order, by a cut, by losing the connection below, or by suspension.
 *
 * <p>Source: docs/protocol.md 10, 12.2, 12.4 and 13.
 */
final class ConnectionTeardown {
    private final Lifecycle life;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Suspension suspension;
    private final Schedule schedule;

    ConnectionTeardown(Parts parts) {
        life = parts.life;
        send = parts.send;
        receive = parts.receive;
        suspension = parts.suspension;
        schedule = parts.schedule;
    }

    void shutdownOutput(ActionList out) {
        if (life.open() && !send.shut()) {
            send.shutDown();
            life.finish(out);
            schedule.run(out);
        }
    }

    void close(boolean unread, boolean abortive, ActionList out) {
        if (life.closeCalled()) {
            return;
        }
        // Bytes that the peer offers, or that are being read, are unread too (12.2).
        boolean left = unread || receive.offeredBytes() > 0 || receive.offers.reads().size() > 0;
        life.onCloseCalled();
        receive.shutDown();
        if (life.settingUp() || life.state() == State.CLOSED) {
            life.closeEarly(out);
        } else if (life.open()) {
            if (left || abortive) {
                cut(left ? AbortReason.UNREAD_DATA : AbortReason.LINGER_ZERO, out);
            } else {
                shutdownOutput(out);
                life.arm(SdpMachine.TIMER_CLOSE, Lifecycle.CLOSE_NANOS, out);
                schedule.run(out);
            }
        }
    }

    /** A SIGNALLED message has completed. */
    void onControlSent(int mid, ActionList out) {
        if (mid == Mid.DISCONN && life.open() && !send.finCompleted()) {
            send.onFinCompleted();
            life.onFinCompleted(out);
        } else if (mid == Mid.ABORT_CONN && life.state() == State.ABORTING) {
            life.closeLlp(out);
        } else if (mid == Mid.SUSP_COMM_ACK && life.open()) {
            suspend(suspension.theirs(), out);
            out.disconnect();
        }
    }

    /** Both sides agree that the session is suspended. */
    void suspend(int port, ActionList out) {
        schedule.giveUp(ActionList.RECALLED, out);
        out.suspended(port);
        life.end(State.SUSPENDED, out);
    }

    /**
     * Cuts the stream: by AbortConn if our DisConn has left, else by cutting the connection below
     * (12.4).
     */
    void cut(AbortReason why, ActionList out) {
        if (life.down() || life.state() == State.ABORTING || life.state() == State.LLP_CLOSING) {
            return;
        }
        if (why != AbortReason.PEER_ABORT && life.talking() && send.finSent()) {
            life.aborting(why, out);
        } else {
            life.cut(why, out);
        }
        schedule.run(out);
    }

    /**
     * The connection below is gone.
     *
     * @param failed whether the queue pair has failed, else it was closed in order
     */
    void onLlpGone(boolean failed, ActionList out) {
        if (life.open() && suspension.answered()) {
            suspend(suspension.theirs(), out); // the peer need not wait for us any more (10)
            return;
        }
        switch (life.state()) {
            case HELLO_SENT, HELLO_RCVD, ESTABLISHED, FIN_SENDING, FIN_SENT, PEER_FIN, ABORTING ->
                    lose(failed, out);
            case FIN_CROSS, LAST_SENDING -> {
                if (send.finCompleted()) {
                    life.end(State.TIME_WAIT, out); // both halves had ended: nothing was lost
                } else if (failed || !send.finSent()) {
                    lose(failed, out);
                } else if (!life.llpGone()) {
                    life.awaitFinCompletion(out);
                }
            }
            case LLP_CLOSING -> life.end(State.TIME_WAIT, out);
            case CLOSED, TIME_WAIT, SUSPENDED, ERROR -> {}
        }
        schedule.run(out);
    }

    private void lose(boolean failed, ActionList out) {
        if (failed) {
            life.cut(AbortReason.TRANSPORT_ERROR, out);
        } else {
            life.lost(AbortReason.PEER_RESET, out);
        }
    }

    void onTimer(int timer, ActionList out) {
        if (!life.expire(timer)) {
            return;
        }
        switch (timer) {
            case SdpMachine.TIMER_CLOSE -> cut(AbortReason.CLOSE_TIMEOUT, out);
            case SdpMachine.TIMER_GRACE -> {
                if (life.llpGone()) {
                    life.lost(AbortReason.PEER_RESET, out);
                } else {
                    life.closeLlp(out);
                }
            }
            case SdpMachine.TIMER_LLP -> life.end(State.TIME_WAIT, out);
            case SdpMachine.TIMER_ABORT -> life.cut(life.reason(), out);
            default -> {
                if (schedule.watch().expired(timer)) {
                    cut(AbortReason.ANSWER_TIMEOUT, out);
                }
            }
        }
    }
}
