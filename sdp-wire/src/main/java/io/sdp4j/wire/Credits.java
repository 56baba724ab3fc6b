package io.sdp4j.wire;

/**
 * Counts the buffers of one connection in both directions, and keeps the sequence numbers that the
 * counts depend on.
 *
 * <p>Shape: the messages that we may send ({@code balance}, less {@code reserved}), and those that
 * the peer may send ({@code posted} buffers, of which it knows {@code known}). All sequence numbers
 * wrap at 2^32 and are compared by difference only.
 *
 * <p>Invariant: {@code known <= posted} at all times. A message that arrives lowers both, a buffer
 * that is posted again raises only {@code posted}, and a message that leaves sets {@code known} to
 * {@code posted}.
 *
 * <p>Source: docs/protocol.md 4 and 5.
 */
final class Credits {
    /** Payload leaves one credit for a credit update and one for control (4.3). */
    static final int PAYLOAD_CREDITS = 3;

    private static final int UPDATE_STEP = 6;

    private final int pool;
    private final int updateStep;
    private final int idleStep;

    /** With fewer buffers than this to tell of, no update is due yet. */
    final int leastStep;

    int lastSent; // LSSeq; Hello counts as 0 (5.2)
    int lastReceived;
    int lastAck; // highest MSeqAck seen
    int balance;
    int reserved;
    int posted;
    int known;
    int told; // MSeqAck + Bufs of our last message: the peer may send up to this MSeq
    boolean holding; // MSeqAck is held back (6.6)
    int ack; // MSeqAck of the next message

    /** Buffers posted again since we last sent, which held something else than a credit update. */
    int news;

    /**
     * @param pool receive buffers posted before the peer hears of them
     */
    Credits(int pool) {
        this.pool = pool;
        this.updateStep = updateStep(pool);
        this.idleStep = idleStep(pool);
        this.leastStep = Math.min(updateStep, idleStep);
        this.posted = pool;
    }

    /**
     * Returns the number of buffers, used by other messages than credit updates, at which an update
     * is due: a quarter of the pool, at least 2. For a small pool it is up to {@value
     * #UPDATE_STEP}, because each update wakes a peer that waits for buffers.
     */
    private static int updateStep(int pool) {
        return Math.max(Math.max(2, pool / 4), Math.min(UPDATE_STEP, pool / 2 - 2));
    }

    /**
     * Returns the number of buffers at which an update is due even if only credit updates used
     * them; see {@link #updateDue}.
     */
    private static int idleStep(int pool) {
        return Math.max(2, pool / 2);
    }

    /**
     * Whether a peer with {@code pool} buffers that follows our rules for updates sends one,
     * without another message of ours, once payload has used all the buffers that it may use and
     * the peer's application has read them. One buffer less is counted: the last one that was read
     * may not be posted again yet.
     */
    static boolean announces(int pool) {
        return pool - PAYLOAD_CREDITS - 1 >= idleStep(pool);
    }

    /** Our Hello or HelloAck has told the peer of all posted buffers. */
    void advertised() {
        known = posted;
        told = lastReceived + posted;
    }

    /** The peer's Hello or HelloAck told of {@code bufs} buffers (4.2). */
    void granted(int bufs) {
        balance = bufs;
    }

    /** Starts the counters elsewhere than at 0, so that tests meet the wrap. */
    void startAt(int lastSent, int lastReceived) {
        this.lastSent = lastSent;
        this.lastAck = lastSent;
        this.lastReceived = lastReceived;
        ack = lastReceived;
    }

    /** Messages that may be sent now, reservations taken off. */
    int available() {
        return Math.max(0, balance - reserved);
    }

    /** Our posted buffers: Bufs of the next message (2.1). */
    int posted() {
        return posted;
    }

    int known() {
        return known;
    }

    int lastSent() {
        return lastSent;
    }

    /** From now on no later message than {@code mseq} is acknowledged, until released (6.6). */
    void holdAck(int mseq) {
        holding = true;
        ack = mseq;
    }

    void releaseAck() {
        holding = false;
        ack = lastReceived;
    }

    /** Rule for messages with payload (4.3). */
    boolean payloadAllowed() {
        return balance - reserved >= PAYLOAD_CREDITS;
    }

    /**
     * Rule for messages without payload (4.3). A reservation is a payload message that has not left
     * yet: until it has, control must leave it the credits that payload needs.
     */
    boolean controlAllowed() {
        int free = balance - reserved;
        if (reserved > 0) {
            return free >= PAYLOAD_CREDITS;
        }
        return free >= SdpMachine.CONTROL_CREDITS || (free == 1 && unheard() > 0);
    }

    /**
     * Whether the peer should be told of reposted buffers (4.4).
     *
     * <p>This is stricter than the suggested rule: buffers that only credit updates have used are
     * no news. If the peer has few buffers left, two peers whose applications do not read, each
     * with two or three buffers left, would otherwise answer each other's updates for ever. No end
     * waits in vain: so few buffers mean unread bytes, and reading them is news. If the peer has
     * enough buffers left, an end that reads much and sends little would be answered at every other
     * update, and woken by the answer. With lent buffers, question and answer are one message each;
     * one update beside each would make two of them, a quarter of a small pool, and so cause the
     * next update on the other side.
     */
    boolean updateDue() {
        int unheard = unheard();
        if (told - lastReceived <= SdpMachine.CONTROL_CREDITS) {
            return unheard >= (news > 0 ? 1 : 2);
        }
        return unheard >= (news >= updateStep ? updateStep : idleStep);
    }

    /** Whether an update is due that the peer may need before it sends any more payload. */
    boolean updateNeeded() {
        return told - lastReceived <= PAYLOAD_CREDITS && updateDue();
    }

    /**
     * Returns how many buffers a message sent now would add to those that the peer counts on:
     * posted - known, but fewer while acknowledgements are held back, because the peer counts a
     * message that is not acknowledged as a buffer in use.
     */
    private int unheard() {
        return ack + posted - told;
    }

    void unreserve() {
        assert reserved > 0;
        reserved--;
    }

    /**
     * A message leaves now and tells the peer of all posted buffers. Returns the numbers in its
     * header, see {@link Bsdh#second}.
     */
    long onSent() {
        balance = Math.max(0, balance - 1); // 0 if a lying peer took a reserved credit back
        known = posted;
        told = ack + posted;
        news = 0;
        return Bsdh.second(++lastSent, ack);
    }

    /** A message of any kind used up one posted buffer. */
    void onArrival() {
        assert posted > 0 : "more messages than buffers";
        posted--;
        known--;
    }

    /**
     * A buffer was posted again.
     *
     * @param wasUpdate whether a credit update had been in it
     */
    void onReposted(boolean wasUpdate) {
        posted++;
        news += wasUpdate ? 0 : 1;
        assert posted <= pool;
    }

    /**
     * Checks and takes over the numbers of a message that arrived (2.13, 4.2). The credit is
     * replaced, never added to.
     *
     * @return NONE, or the violation
     */
    AbortReason accept(int mseq, int mseqAck, int bufs) {
        if (known < 0) {
            return AbortReason.NO_CREDIT;
        }
        if (mseq != lastReceived + 1) {
            return AbortReason.MSEQ_GAP;
        }
        if (Integer.compareUnsigned(mseqAck - lastAck, lastSent - lastAck) > 0) {
            return AbortReason.BAD_ACK;
        }
        lastReceived = mseq;
        ack = holding ? ack : mseq;
        lastAck = mseqAck;
        balance = Math.max(0, bufs - (lastSent - mseqAck));
        return AbortReason.NONE;
    }

    /** Whether the peer had received message {@code mseq} when it sent its last message. */
    boolean acknowledged(int mseq) {
        return lastAck - mseq >= 0;
    }
}
