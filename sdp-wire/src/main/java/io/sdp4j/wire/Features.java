package io.sdp4j.wire;

/**
 * Features beyond buffered copy that a machine may use because its shell can carry them out.
 *
 * <p>There is no negotiation of features (docs/protocol.md 16.5): a machine without a feature
 * answers like a peer that does not have it. The peer's SrcAvails get SendSm, its SuspComm cuts the
 * connection.
 *
 * @param lentBuffers source buffers, and as many sink buffers, that the shell may lend at a time; 0
 *     = no zero copy; at most 65,535
 * @param rdmaBytes most bytes of one RDMA operation; 1..2^30
 * @param writesInFlight RDMA Writes that may be posted and not yet completed; 1..65,535. Reads are
 *     limited by the ORD agreed
 * @param inlineBytes payload of a SrcAvail in Combined mode, as far as buffer and peer allow;
 *     1..65,535
 * @param pipelining whether the send half changes to Pipelined by itself when several buffers are
 *     lent, and whether the peer is asked to (REQ_PIPE)
 * @param suspending whether the shell can move a session to another queue pair
 */
public record Features(
        int lentBuffers,
        int rdmaBytes,
        int writesInFlight,
        int inlineBytes,
        boolean pipelining,
        boolean suspending) {

    /** Buffered copy only. */
    public static final Features NONE = new Features(0, 1, 1, 1, false, false);

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException when a number is out of its range
     */
    public Features {
        Range.check("lentBuffers", lentBuffers, 0, 0xFFFF);
        Range.check("rdmaBytes", rdmaBytes, 1, 1 << 30);
        Range.check("writesInFlight", writesInFlight, 1, 0xFFFF);
        Range.check("inlineBytes", inlineBytes, 1, 0xFFFF);
    }

    /**
     * Zero copy in both directions.
     *
     * @param lentBuffers as the component
     * @param rdmaBytes as the component
     */
    public Features withZcopy(int lentBuffers, int rdmaBytes) {
        return new Features(lentBuffers, rdmaBytes, 16, inlineBytes, true, suspending);
    }

    /** Sessions that can be suspended. */
    public Features withSuspending() {
        return new Features(lentBuffers, rdmaBytes, writesInFlight, inlineBytes, pipelining, true);
    }

    boolean zcopy() {
        return lentBuffers > 0;
    }
}
