package io.sdp4j.wire;

/**
 * The first thing wrong with a Hello or HelloAck.
 *
 * <p>Source: docs/protocol.md 3.3 and 3.4; the causes of a rejection from 20.2.
 */
public enum HelloFault {
    /** Nothing: accepted. */
    NONE(0),
    /** Fewer bytes than the header says, or than a header has. */
    SHORT(2),
    /** Another message. */
    WRONG_MID(2),
    /** BSDH.Len is not that of the short form. */
    BAD_LENGTH(2),
    /** A major version we do not speak. */
    BAD_VERSION(1),
    /** MaxAdverts is zero. */
    NO_ADVERTS(2),
    /** LocORD or LocIRD is zero. */
    NO_READ_DEPTH(2),
    /** The size of the receive buffers is below 37 bytes or above 2^31. */
    BAD_RECEIVE_SIZE(2),
    /** The message came at a time when none was expected. */
    WRONG_TIME(2);

    private final int rejectCause;

    HelloFault(int rejectCause) {
        this.rejectCause = rejectCause;
    }

    /** The cause number for the private data of a rejection on our own fabrics. */
    public int rejectCause() {
        return rejectCause;
    }
}
