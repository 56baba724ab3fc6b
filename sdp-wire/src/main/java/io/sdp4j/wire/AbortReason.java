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
    NONE(Group.NONE),

    /** A message of fewer than 16 bytes. */
    SHORT_MESSAGE(Group.VIOLATION),
    /** BSDH.Len differs from the byte count of the Send. */
    BAD_LENGTH(Group.VIOLATION),
    /** A reserved message identifier. */
    RESERVED_MID(Group.VIOLATION),
    /** A message shorter than its extended header. */
    TRUNCATED_HEADER(Group.VIOLATION),
    /** Payload in a message that cannot carry any. */
    UNEXPECTED_PAYLOAD(Group.VIOLATION),
    /** OOB_PRES on anything but a Data message with payload. */
    BAD_URGENT_FLAG(Group.VIOLATION),
    /** A message longer than the private buffers advertised. */
    MESSAGE_TOO_LONG(Group.VIOLATION),
    /** MSeq is not one more than that of the message before. */
    MSEQ_GAP(Group.VIOLATION),
    /** MSeqAck goes back, or acknowledges what was never sent. */
    BAD_ACK(Group.VIOLATION),
    /** A message sent without a credit. */
    NO_CREDIT(Group.VIOLATION),
    /** A message that the connection's state forbids. */
    ILLEGAL_IN_STATE(Group.VIOLATION),
    /** A message, or its payload, that the half-connection's mode forbids. */
    ILLEGAL_IN_MODE(Group.VIOLATION),
    /** A ModeChange that is not one of the four legal transitions. */
    BAD_MODE_CHANGE(Group.VIOLATION),
    /** An advertisement with an impossible length. */
    BAD_ADVERTISEMENT(Group.VIOLATION),
    /** More advertisements than the mode or MaxAdverts allows. */
    TOO_MANY_ADVERTISEMENTS(Group.VIOLATION),
    /** An answer to a question that was never asked. */
    UNEXPECTED_ANSWER(Group.VIOLATION),
    /** A completion message that tells of more bytes than were advertised. */
    BAD_COMPLETION(Group.VIOLATION),
    /** The peer asked to suspend the session, which this machine does not do. */
    SUSPEND_UNSUPPORTED(Group.VIOLATION),

    /** The peer sent AbortConn. */
    PEER_ABORT(Group.TRANSPORT),
    /** The connection below was closed by the peer before the stream had ended. */
    PEER_RESET(Group.TRANSPORT),
    /** The queue pair failed. */
    TRANSPORT_ERROR(Group.TRANSPORT),

    /** The shell asked for it. */
    LOCAL_ABORT(Group.LOCAL),
    /** Closed before the connection was established. */
    CLOSED_EARLY(Group.LOCAL),
    /** Closed with received bytes unread. */
    UNREAD_DATA(Group.LOCAL),
    /** Closed with linger time zero. */
    LINGER_ZERO(Group.LOCAL),
    /** Bytes arrived after the application had closed. */
    DATA_AFTER_CLOSE(Group.LOCAL),
    /** The peer did not end its half in time after our close. */
    CLOSE_TIMEOUT(Group.LOCAL),
    /** The peer did not answer a cancel or a request to suspend, or RDMA did not complete. */
    ANSWER_TIMEOUT(Group.TRANSPORT);

    private enum Group {
        NONE,
        VIOLATION,
        TRANSPORT,
        LOCAL
    }

    private final Group group;

    AbortReason(Group group) {
        this.group = group;
    }

    /** Whether the peer broke the protocol. */
    public boolean violation() {
        return group == Group.VIOLATION;
    }

    /** Whether our own side wanted the end. */
    public boolean local() {
        return group == Group.LOCAL;
    }
}
