package io.sdp4j.wire;

/**
 * Why a stream was cut: the first cause only, later ones are consequences.
 *
 * <p>Shape: three groups. Violations are the peer's fault and are worth an operator's attention;
 * the transport group means that the connection below died or the peer left without a word; the
 * local group is what our own application or a time-out asked for.
 *
 * <p>Source: docs/protocol.md 2.13, 12.2 and 13.
 */
public enum AbortReason {
    /** The stream was not cut. */
    NONE,

    /** A message of fewer than 16 bytes. */
    SHORT_MESSAGE(true),
    /** BSDH.Len differs from the byte count of the Send. */
    BAD_LENGTH(true),
    /** A reserved message identifier. */
    RESERVED_MID(true),
    /** A message shorter than its extended header. */
    TRUNCATED_HEADER(true),
    /** Payload in a message that cannot carry any. */
    UNEXPECTED_PAYLOAD(true),
    /** OOB_PRES on anything but a Data message with payload. */
    BAD_URGENT_FLAG(true),
    /** A message longer than the private buffers advertised. */
    MESSAGE_TOO_LONG(true),
    /** MSeq is not one more than that of the message before. */
    MSEQ_GAP(true),
    /** MSeqAck goes back, or acknowledges what was never sent. */
    BAD_ACK(true),
    /** A message sent without a credit. */
    NO_CREDIT(true),
    /** A message that the connection's state forbids. */
    ILLEGAL_IN_STATE(true),
    /** A message, or its payload, that the half-connection's mode forbids. */
    ILLEGAL_IN_MODE(true),
    /** A ModeChange that is not one of the four legal transitions. */
    BAD_MODE_CHANGE(true),
    /** An advertisement with an impossible length. */
    BAD_ADVERTISEMENT(true),
    /** More advertisements than the mode or MaxAdverts allows. */
    TOO_MANY_ADVERTISEMENTS(true),
    /** An answer to a question that was never asked. */
    UNEXPECTED_ANSWER(true),
    /** A completion message that tells of more bytes than were advertised. */
    BAD_COMPLETION(true),
    /** The peer asked to suspend the session, which this machine does not do. */
    SUSPEND_UNSUPPORTED(true),

    /** The peer sent AbortConn. */
    PEER_ABORT,
    /** The connection below was closed by the peer before the stream had ended. */
    PEER_RESET,
    /** The queue pair failed. */
    TRANSPORT_ERROR,
    /** The peer did not answer a cancel or a request to suspend, or RDMA did not complete. */
    ANSWER_TIMEOUT,

    /** The shell asked for it. */
    LOCAL_ABORT,
    /** Closed before the connection was established. */
    CLOSED_EARLY,
    /** Closed with received bytes unread. */
    UNREAD_DATA,
    /** Closed with linger time zero. */
    LINGER_ZERO,
    /** Bytes arrived after the application had closed. */
    DATA_AFTER_CLOSE,
    /** The peer did not end its half in time after our close. */
    CLOSE_TIMEOUT;

    private final boolean violation;

    AbortReason() {
        this(false);
    }

    AbortReason(boolean violation) {
        this.violation = violation;
    }

    /** Whether the peer broke the protocol. */
    public boolean violation() {
        return violation;
    }
}
