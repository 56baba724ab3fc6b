package io.sdp4j.wire;

/**
 * Where the connection stands, which timers run, and why it was cut.
 *
 * <p>Shape: the state of docs/protocol.md 12.1 and four facts that no state tells: whether the
 * application has closed, whether the connection below is already gone while our DisConn is not
 * completed, whether the end is final ({@code down}), and the first cause of a cut. Only this class
 * changes the state. Every change that a thread of the shell may wait for emits a WAKE.
 */
final class Lifecycle {
    /** Peer's time to end its half after our close (docs/protocol.md 12.5, 18). */
    static final long CLOSE_NANOS = 60_000_000_000L;

    /** Second closer's grace for the first (12.4, 18). */
    static final long GRACE_NANOS = 1_000_000_000L;

    /** Time for the connection below to close (12.5). */
    static final long LLP_NANOS = 60_000_000_000L;

    /** Time for AbortConn to find a credit and complete; short, because AbortConn is a courtesy. */
    static final long ABORT_NANOS = 1_000_000_000L;

    /**
     * Whether the stream is established, and nothing but buffered copy is under way in either
     * direction: nothing is lent, offered, ended, or about to be suspended. The {@link Schedule}
     * sets this after an event; a change of state clears it. Messages with payload, credit updates
     * and completions of sends do not change it, so they need not check each condition again.
     */
    boolean bcopyOnly;

    private State state = State.CLOSED;
    private AbortReason reason = AbortReason.NONE;
    private boolean eof;
    private boolean closeCalled;
    private boolean llpGone;
    private boolean down;
    private int armed; // one bit per timer

    State state() {
        return state;
    }

    AbortReason reason() {
        return reason;
    }

    boolean eof() {
        return eof;
    }

    boolean closeCalled() {
        return closeCalled;
    }

    void onCloseCalled() {
        closeCalled = true;
    }

    boolean llpGone() {
        return llpGone;
    }

    boolean down() {
        return down;
    }

    /** Whether messages of the stream are exchanged. */
    boolean open() {
        return switch (state) {
            case ESTABLISHED, FIN_SENDING, FIN_SENT, FIN_CROSS, PEER_FIN, LAST_SENDING -> true;
            default -> false;
        };
    }

    /** Whether messages can still be sent: the connection below may be gone before we are done. */
    boolean talking() {
        return open() && !llpGone;
    }

    boolean settingUp() {
        return state == State.HELLO_SENT || state == State.HELLO_RCVD;
    }

    void onHelloWritten() {
        assert state == State.CLOSED && !down;
        become(State.HELLO_SENT);
    }

    void onHelloAccepted() {
        assert state == State.CLOSED && !down;
        become(State.HELLO_RCVD);
    }

    void establish(ActionList out) {
        become(State.ESTABLISHED);
        out.wake(ActionList.WRITABLE);
    }

    /** Our half is to end: ESTABLISHED to FIN_SENDING, PEER_FIN to LAST_SENDING (12.2). */
    void finish(ActionList out) {
        become(state == State.PEER_FIN ? State.LAST_SENDING : State.FIN_SENDING);
        out.wake(ActionList.WRITABLE);
    }

    /** The peer's DisConn was taken (12.2). */
    void onPeerFin(ActionList out) {
        eof = true;
        out.wake(ActionList.READABLE);
        switch (state) {
            case ESTABLISHED -> become(State.PEER_FIN);
            case FIN_SENDING -> become(State.FIN_CROSS);
            case FIN_SENT -> closeLlp(out);
            default -> throw new AssertionError(state);
        }
    }

    /** Our DisConn has completed (12.2). */
    void onFinCompleted(ActionList out) {
        out.wake(ActionList.CLOSED);
        if (llpGone) {
            end(State.TIME_WAIT, out);
            return;
        }
        switch (state) {
            case FIN_SENDING -> become(State.FIN_SENT);
            case FIN_CROSS -> closeLlp(out);
            case LAST_SENDING -> arm(SdpMachine.TIMER_GRACE, GRACE_NANOS, out);
            default -> throw new AssertionError(state);
        }
    }

    /** Both halves have ended, or AbortConn is out: close the connection below. */
    void closeLlp(ActionList out) {
        become(State.LLP_CLOSING);
        disarmAll(out);
        arm(SdpMachine.TIMER_LLP, LLP_NANOS, out);
        out.disconnect();
        out.wake(ActionList.CLOSED);
    }

    /** The connection below is gone before our DisConn, already sent, has completed (12.2). */
    void awaitFinCompletion(ActionList out) {
        llpGone = true;
        disarmAll(out);
        arm(SdpMachine.TIMER_GRACE, GRACE_NANOS, out);
    }

    /** Cuts the stream and tells the peer by AbortConn; only after our DisConn (12.4). */
    void aborting(AbortReason why, ActionList out) {
        become(State.ABORTING);
        fail(why);
        disarmAll(out);
        arm(SdpMachine.TIMER_ABORT, ABORT_NANOS, out);
        out.wake(ActionList.READABLE | ActionList.WRITABLE);
    }

    /** Cuts the stream and the connection below without a message to the peer. */
    void cut(AbortReason why, ActionList out) {
        fail(why);
        end(State.ERROR, out);
        out.abort();
    }

    /** Closed before there was a stream. */
    void closeEarly(ActionList out) {
        boolean started = state != State.CLOSED;
        if (!down) {
            fail(AbortReason.CLOSED_EARLY);
            end(State.CLOSED, out);
            if (started) {
                out.abort();
            }
        }
    }

    /** Ends the stream as cut; the connection below is already gone. */
    void lost(AbortReason why, ActionList out) {
        fail(why);
        end(State.ERROR, out);
    }

    /** The end: no message will be emitted any more. */
    void end(State last, ActionList out) {
        become(last);
        down = true;
        disarmAll(out);
        out.wake(ActionList.READABLE | ActionList.WRITABLE | ActionList.CLOSED);
    }

    private void become(State next) {
        state = next;
        bcopyOnly = false;
    }

    private void fail(AbortReason why) {
        if (reason == AbortReason.NONE) {
            reason = why;
        }
        // Input that the peer ended in order stays readable when the peer merely vanishes
        // afterwards (12.2, 13.1).
        eof &= why == AbortReason.PEER_RESET || why == AbortReason.TRANSPORT_ERROR;
    }

    void arm(int timer, long nanos, ActionList out) {
        armed |= 1 << timer;
        out.armTimer(timer, nanos);
    }

    /** Arms a timer unless it runs. */
    boolean armIfIdle(int timer, long nanos, ActionList out) {
        boolean idle = (armed & (1 << timer)) == 0;
        if (idle) {
            arm(timer, nanos, out);
        }
        return idle;
    }

    /** Whether a timer that ran out was still armed; it no longer is. */
    boolean expire(int timer) {
        boolean was = (armed & (1 << timer)) != 0;
        armed &= ~(1 << timer);
        return was;
    }

    private void disarmAll(ActionList out) {
        for (int timer = 0; armed != 0; timer++) {
            if (expire(timer)) {
                out.cancelTimer(timer);
            }
        }
    }
}
