package io.sdp4j.wire;

/**
 * When the peer is told of an out-of-band byte that waits behind other bytes.
 *
 * <p>Shape: a position in the stream of bytes sent or advertised, and the position of the byte that
 * waits. OOB_PEND goes out exactly once for each byte: early, on any message, once no more than
 * 65,535 bytes up to and including the byte are left; else with the byte itself. Only one byte is
 * announced early at a time.
 *
 * <p>Source: docs/protocol.md 8.
 */
final class Urgent {
    private static final int REACH_BYTES = 65_535;

    private long sent; // stream bytes sent or advertised
    private long waiting = -1; // end position of the byte to be announced, -1 = none
    private boolean announced; // OOB_PEND is out, its byte is not

    /** Bytes were sent or advertised. */
    void onSent(long lenBytes) {
        sent += lenBytes;
    }

    /** Bytes advertised were not taken: they will be sent again. */
    void onWithdrawn(long lenBytes) {
        sent -= lenBytes;
    }

    void announce(long bytesAhead) {
        if (waiting < 0 && !announced) {
            waiting = sent + bytesAhead + 1;
        }
    }

    /** Whether the next message may carry OOB_PEND for a byte still to come. */
    boolean pendDue() {
        return waiting >= 0 && waiting - sent <= REACH_BYTES;
    }

    /** OOB_PEND for the next message, which does not hold the byte, or 0. */
    int takePend() {
        if (!pendDue()) {
            return 0;
        }
        waiting = -1;
        announced = true;
        return Bsdh.OOB_PEND;
    }

    /** Flags of the message whose last byte is the out-of-band byte. */
    int takePresent() {
        int flags = announced ? Bsdh.OOB_PRES : Bsdh.OOB_PRES | Bsdh.OOB_PEND;
        waiting = -1;
        announced = false;
        return flags;
    }
}
