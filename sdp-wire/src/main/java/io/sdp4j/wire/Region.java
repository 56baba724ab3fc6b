package io.sdp4j.wire;

/**
 * One registered buffer: lent to us by the shell, or advertised by the peer.
 *
 * <p>Shape: bytes 0 to {@code done} have moved, bytes up to {@code issued} are moving: RDMA posted
 * and not yet completed. Payload that travelled in a message counts as both.
 */
final class Region {
    int buffer; // the shell's number; 0 for the peer's
    long lenBytes;
    int rkey;
    long va;
    long issued;
    long done;

    /** Lent source: a SrcAvail for it is out and not yet processed. */
    boolean advertised;

    /** MSeq of that message. */
    int mseq;

    /** Lent source: an outcome of {@link ActionList}, 0 while there is none. */
    int outcome;

    /** Lent sink: the peer may write it. */
    boolean offerable;

    /** Peer's source: payload of the SrcAvail, which RdmaRdCompl does not count. */
    long inlineBytes;

    /** Peer's source: bytes told in RdmaRdCompl. */
    long reported;

    /** Peer's source: wanted as Data. */
    boolean refused;

    void set(int newBuffer, long newLenBytes, int newRkey, long newVa) {
        buffer = newBuffer;
        lenBytes = newLenBytes;
        rkey = newRkey;
        va = newVa;
        issued = 0;
        done = 0;
        advertised = false;
        mseq = 0;
        outcome = 0;
        offerable = false;
        inlineBytes = 0;
        reported = 0;
        refused = false;
    }

    /** Bytes that are not issued yet. */
    long left() {
        return lenBytes - issued;
    }

    /** Whether RDMA on it is under way. */
    boolean moving() {
        return issued != done;
    }
}
