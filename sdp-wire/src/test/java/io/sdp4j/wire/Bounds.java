package io.sdp4j.wire;

/**
 * How much a run may choose.
 *
 * @param first what the connecting side brings, or null to choose it
 * @param second what the accepting side brings, or null to choose it
 * @param writes writes that the connecting side's program may begin
 * @param peerWrites writes that the accepting side's program may begin
 * @param plain whether only the order of events is chosen: one thing at a time, payloads of one
 *     size, no wrap, no weights
 * @param lends when plain, source buffers that the connecting side may lend, and sink buffers that
 *     the accepting side may
 * @param pipelines when plain, whether the connecting side may lead its half into Pipelined
 * @param suspensions when plain, how often each side may suspend the session
 */
record Bounds(
        WireConfig first,
        WireConfig second,
        int writes,
        int peerWrites,
        boolean plain,
        int lends,
        boolean pipelines,
        int suspensions) {
    /** Anything. */
    static final Bounds WIDE =
            new Bounds(null, null, Integer.MAX_VALUE, Integer.MAX_VALUE, false, 0, false, 0);

    /** Two sides with as many buffers of 64 bytes, whose sends complete at once. */
    static Bounds of(int slots) {
        WireConfig config = new WireConfig(slots, 64, Integer.MAX_VALUE, 4, 4, 4);
        return new Bounds(config, config, Integer.MAX_VALUE, Integer.MAX_VALUE, false, 0, false, 0);
    }
}
