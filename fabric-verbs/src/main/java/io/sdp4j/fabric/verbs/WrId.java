package io.sdp4j.fabric.verbs;

/** Contents of our {@code wr_id}: the kind of request, and its slot or place. */
final class WrId {
    static final int RECEIVE = 1;
    static final int SEND = 2;

    /** A send whose completion must be reported. */
    static final int SIGNALLED_SEND = 3;

    /** A read or write; the index is a place in {@link RdmaOps}. */
    static final int RDMA = 4;

    /** The empty message that the active side sends first if the passive side must wait. */
    static final int GREETING = 5;

    private WrId() {}

    static long of(int kind, int index) {
        return (long) kind << 32 | index;
    }

    static int kind(long wrId) {
        return (int) (wrId >>> 32);
    }

    static int index(long wrId) {
        return (int) wrId;
    }
}
