package io.sdp4j.wire;

/**
 * Does, after every event, everything that is due and allowed, in one order.
 *
 * <p>Shape: messages without payload are not queued. The half-connections and the connection know
 * which of them are due, and are asked again after every event; so nothing can pile up.
 *
 * <p>Source: docs/protocol.md 4.3 to 4.5, 6.8, 9, 10 and 12.4.
 */
final class Schedule {
    private final Lifecycle life;
    private final Credits credits;
    private final SendHalf send;
    private final ReceiveHalf receive;
    private final Suspension suspension;
    private final Emitter emitter;
    private final Parts parts;
    private final SourcePump sourcePump;
    private final SinkPump sinkPump;
    private final ProgressTimers watch;
    private boolean abortSent;

    Schedule(Parts parts) {
        life = parts.life;
        credits = parts.credits;
        send = parts.send;
        receive = parts.receive;
        suspension = parts.suspension;
        emitter = parts.emitter;
        this.parts = parts;
        sourcePump = parts.sourcePump;
        sinkPump = parts.sinkPump;
        watch = new ProgressTimers(life, send, receive, suspension);
    }

    ProgressTimers watch() {
        return watch;
    }

    /** Does what is due, and sets {@link Lifecycle#bcopyOnly} for the next event. */
    void run(ActionList out) {
        doAll(out);
        life.bcopyOnly = bcopyOnly();
    }

    /**
     * As {@link #run}, after a message, a completion of sends or a consumed slot: while nothing but
     * buffered copy is under way, only a credit update can be due.
     */
    void runAfterBcopy(ActionList out) {
        if (!life.bcopyOnly) {
            run(out);
        } else {
            assert bcopyOnly();
            updateCredits(out);
        }
    }

    /** See {@link Lifecycle#bcopyOnly}. */
    boolean bcopyOnly() {
        return life.state() == State.ESTABLISHED
                && send.bcopyOnly()
                && receive.bcopyOnly()
                && !suspension.begun();
    }

    private void doAll(ActionList out) {
        if (life.state() == State.ABORTING) {
            if (!abortSent && emitter.controlAllowed()) {
                abortSent = true;
                emitter.control(
                        Mid.ABORT_CONN, ActionList.SIGNALLED | ActionList.SOLICITED, 0, out);
            }
        } else if (life.down()) {
            giveUp(ActionList.CUT, out);
        } else if (life.talking() && !(send.finSent() && receive.fin())) {
            // After both DisConns no end waits for anything, and the peer may hang up.
            if (!suspension.silent()) {
                talk(out);
            } else if (!suspension.answered()) {
                listen(out);
            }
        }
    }

    /** Whether credit updates may be sent. */
    boolean updates() {
        return life.talking() && !(send.finSent() && receive.fin()) && !suspension.silent();
    }

    private void talk(ActionList out) {
        if (send.busy() || receive.busy()) {
            transfer(out);
        }
        if (receive.sizeAnswerDue() && emitter.controlAllowed()) {
            emitter.control(Mid.CH_RCV_BUF_ACK, 0, parts.config.receiveBytes(), out);
            receive.onSizeAnswered();
        }
        if (suspension.wanted()) {
            suspend(out);
        }
        if (send.finDue() && !suspension.wanted() && emitter.controlAllowed()) {
            emitter.control(Mid.DISCONN, ActionList.SIGNALLED, 0, out);
            send.onFinSent();
        }
        // Last, because any other message, DisConn included, makes a credit update superfluous
        // (4.4).
        updateCredits(out);
    }

    /**
     * After our SuspComm only credit updates follow (10). Without them the peer may lack the
     * credits to send what it owes, to tell of the transfers that it finishes, or to answer. No
     * acknowledgement is held back any more: if the peer cancels a SrcAvail now, what we read of it
     * was told, or never will be.
     */
    private void listen(ActionList out) {
        credits.releaseAck();
        updateCredits(out);
    }

    private void updateCredits(ActionList out) {
        if (credits.updateDue() && emitter.controlAllowed()) {
            emitter.emptyData(out);
        }
    }

    /** Does what goes beyond buffered copy. */
    private void transfer(ActionList out) {
        cureDeadlock();
        sinkPump.pump(send.sources.acksHeldBack(credits), out);
        sourcePump.pump(room(), out);
        // One advertisement is left to SrcAvail: a SinkAvail may stay out until the peer writes.
        sinkPump.offer(room() - 1, out);
        watch.look(out);
    }

    /** Advertisements, of both our halves together, that the peer can still keep track of (6.2). */
    private int room() {
        return parts.peerMaxAdverts - send.sources.outstanding() - receive.sinks.offered();
    }

    /**
     * Both sides write and neither reads (6.8): asks for the peer's bytes as Data, and when those
     * have filled our buffers, turns ours into Data, too.
     */
    private void cureDeadlock() {
        if (!send.sources.isEmpty() && receive.sinks.isEmpty()) {
            if (receive.offers.readable() != null) {
                receive.offers.refuse();
            }
            if (credits.posted() <= 2) {
                send.sources.revoke();
            }
        }
    }

    private void suspend(ActionList out) {
        watch.look(out);
        if (busy() || !emitter.controlAllowed()) {
            return;
        }
        if (suspension.answerDue()) {
            emitter.control(Mid.SUSP_COMM_ACK, ActionList.SIGNALLED | ActionList.SOLICITED, 0, out);
            suspension.onAnswerSent();
        } else if (receive.offers.expected() == 0 // for which the peer needs credits
                && credits.posted() >= 3) { // of which it needs one for its answer, too
            assert suspension.requestDue();
            emitter.control(Mid.SUSP_COMM, ActionList.SOLICITED, suspension.ours(), out);
            suspension.onRequestSent();
        }
    }

    /**
     * Whether transfers are in process that must be finished before the session is suspended (10).
     * A transfer that waited only for a credit has left already: SuspComm and its answer need a
     * credit, too.
     */
    private boolean busy() {
        return receive.offers.reads().size() > 0
                || send.sources.writes().size() > 0
                || credits.reserved > 0
                || send.sources.owed() > 0;
    }

    /** Whether a message without payload may be due that must not wait long. */
    boolean due() {
        return send.busy()
                || receive.busy()
                || receive.sizeAnswerDue()
                || suspension.wanted()
                || credits.updateNeeded();
    }

    /** The end: everything lent goes back. */
    void giveUp(int outcome, ActionList out) {
        send.sources.giveUp(outcome, out);
        receive.sinks.giveUp(out);
    }
}
