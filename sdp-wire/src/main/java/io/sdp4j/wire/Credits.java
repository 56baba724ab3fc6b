package io.sdp4j.wire;

/**
 * Both directions' buffer accounting of one connection, and the sequence numbers it depends on.
 *
 * <p>Shape: the messages that we may send ({@code balance}, less {@code reserved}), and those that
 * the peer may send ({@code posted} buffers, of which it knows {@code known}). All sequence numbers
 * wrap at 2^32 and are compared by difference only.
 *
 * <p>Invariant: {@code known <= posted} at all times, because every message that lowers one lowers
 * the other and only a message that leaves sets {@code known} to {@code posted}.
 *
 * <p>Source: docs/protocol.md 4 and 5.
 */
final class Credits {
    /** Payload leaves one credit for a credit update and one for control (4.3). */
    private static final int PAYLOAD_CREDITS = 3;

    private static final int UPDATE_STEP = 6;

    private final int pool;
    private final int updateStep;
    private final int idleStep;

    private int lastSent; // LSSeq; Hello counts as 0 (5.2)
    private int lastReceived;
    private int lastAck; // highest MSeqAck seen
    private int balance;
    int reserved;
    private int posted;
    private int known;
    private int told; // MSeqAck + Bufs of our last message: the peer may count up to it
    private boolean holding; // MSeqAck is held back (6.6)
    private int ack;

    /** Buffers that something else than a credit update has freed since we last sent. */
    private int news;

    /**
     * @param pool receive buffers posted before the peer hears of them
     */
    Credits(int pool) {
        this.pool = pool;
        this.updateStep = updateStep(pool);
        this.idleStep = idleStep(pool);
        this.posted = pool;
    }

    /**
     * So many buffers that were read are worth a message: a quarter of the pool, and of a small one
     * up to {@value #UPDATE_STEP}, because where the peer waits for them each message wakes it.
     */
    private static int updateStep(int pool) {
        return Math.max(Math.max(2, pool / 4), Math.min(UPDATE_STEP, pool / 2 - 2));
    }

    /** So many buffers are told of whatever has used them; see {@link #updateDue}. */
    private static int idleStep(int pool) {
        return Math.max(2, pool / 2);
    }

    /**
     * Whether a peer with {@code pool} buffers that announces them as we do tells of more when
     * everything that payload may use of them was used and read, although nothing more is sent. One
     * message that was read may not have been given back yet.
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

    /** MSeqAck of the next message. */
    int ack() {
        return ack;
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
     * <p>Stricter than the suggested rule about buffers that credit updates have used up, which are
     * no news. Few are left: otherwise two peers whose applications do not read, each with two or
     * three buffers left, would answer each other's updates for ever. No end waits in vain: that
     * few buffers mean unread bytes, and reading them is news. Enough are left: an end that reads
     * much and says little would be answered every other update, and woken by it; and where
     * question and answer are one message each, as they are to lent buffers, one update beside each
     * would make two of them, a quarter of a small pool, and so make the next one on the other
     * side.
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
     * Buffers more than the peer counts on that a message now would tell of: posted - known, unless
     * acknowledgements are held back, which the peer counts as buffers still in use.
     */
    private int unheard() {
        return ack + posted - told;
    }

    void unreserve() {
        assert reserved > 0;
        reserved--;
    }

    /**
     * A message leaves now, telling the peer all we know.
     *
     * @param ack see {@link #ack}
     * @return its MSeq
     */
    int onSent(int ack) {
        balance = Math.max(0, balance - 1); // a reservation outlives what a lying peer takes back
        known = posted;
        told = ack + posted;
        news = 0;
        return ++lastSent;
    }

    /** A message used up one posted buffer, whatever is in it. */
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
