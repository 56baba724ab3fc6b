package io.sdp4j.wire;

/**
 * Suspending a session: which end asked, and how far it is.
 *
 * <p>Shape: {@code ours} is the port of a SuspComm that we want to send or have sent, {@code
 * theirs} of one received; -1 = none. As soon as one of them is set, nothing new is begun; our
 * message leaves when nothing is in process.
 *
 * <p>Source: docs/protocol.md 10.
 */
final class Suspension {
    private int ours = -1;
    private int theirs = -1;
    private boolean sent;
    private boolean answered;
    private boolean over;

    /** Whether either end has asked. */
    boolean begun() {
        return wanted() || sent;
    }

    /** Whether nothing new may be begun. */
    boolean wanted() {
        return ours >= 0 || theirs >= 0;
    }

    boolean requested() {
        return ours >= 0;
    }

    int ours() {
        return ours;
    }

    int theirs() {
        return theirs;
    }

    void want(int port) {
        ours = port;
    }

    /** Whether SuspComm is still to be sent: an answer to the peer's makes it pointless. */
    boolean requestDue() {
        return ours >= 0 && !sent && theirs < 0;
    }

    void onRequestSent() {
        sent = true;
    }

    boolean answerDue() {
        return theirs >= 0 && !answered;
    }

    void onAnswerSent() {
        answered = true;
    }

    boolean answered() {
        return answered;
    }

    /** Whether we have said our last word on this connection. */
    boolean silent() {
        return answered || (sent && theirs < 0);
    }

    /** SuspComm. When both ask at once, the accepting side's request stands. */
    void onRequest(int port, boolean connecting) {
        if (!sent || connecting) {
            theirs = port;
        }
    }

    /** SuspCommAck: whether there was a question. */
    boolean onAnswer() {
        over = sent && theirs < 0;
        return over;
    }

    /** Whether our request was answered. */
    boolean over() {
        return over;
    }

    boolean peerSilent() {
        return theirs >= 0;
    }
}
