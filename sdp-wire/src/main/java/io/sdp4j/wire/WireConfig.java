package io.sdp4j.wire;

/**
 * Parameters of one side of a connection.
 *
 * <p>Four receive slots are the least we run with although the protocol allows three: with three,
 * each credit update costs the other side the one buffer that allows payload, so two idle peers
 * would answer each other's updates for ever (docs/protocol.md 4.3, 4.4).
 *
 * @param receiveSlots receive buffers the shell posts before it sends Hello or HelloAck; 4..65,535
 * @param receiveBytes size of each receive buffer, the 16 bytes of the BSDH included; 37..2^30
 * @param sendDepth sends that may be posted and not yet completed, at least 3; {@link
 *     Integer#MAX_VALUE} where a send completes when it is posted
 * @param maxAdverts advertisements this side keeps track of for the peer; 1..65,535
 * @param ord RDMA reads this side may have outstanding; 1..65,535
 * @param ird RDMA reads this side serves at a time; 1..65,535
 * @param features what the shell can do beyond buffered copy
 */
public record WireConfig(
        int receiveSlots,
        int receiveBytes,
        int sendDepth,
        int maxAdverts,
        int ord,
        int ird,
        Features features) {

    /** Fewest receive slots. */
    public static final int MIN_RECEIVE_SLOTS = 4;

    /** Smallest receive buffer: BSDH, SinkAvail header and one byte (docs/protocol.md 4.1). */
    public static final int MIN_RECEIVE_BYTES = 37;

    /** Fewest sends in flight: one with payload, one control message and one to spare. */
    public static final int MIN_SEND_DEPTH = 3;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException when a number is out of its range
     */
    public WireConfig {
        Range.check("receiveSlots", receiveSlots, MIN_RECEIVE_SLOTS, 0xFFFF);
        Range.check("receiveBytes", receiveBytes, MIN_RECEIVE_BYTES, 1 << 30);
        Range.check("sendDepth", sendDepth, MIN_SEND_DEPTH, Integer.MAX_VALUE);
        Range.check("maxAdverts", maxAdverts, 1, 0xFFFF);
        Range.check("ord", ord, 1, 0xFFFF);
        Range.check("ird", ird, 1, 0xFFFF);
    }

    /** Buffered copy only. */
    public WireConfig(
            int receiveSlots, int receiveBytes, int sendDepth, int maxAdverts, int ord, int ird) {
        this(receiveSlots, receiveBytes, sendDepth, maxAdverts, ord, ird, Features.NONE);
    }

    /** The same with other features. */
    public WireConfig with(Features other) {
        return new WireConfig(receiveSlots, receiveBytes, sendDepth, maxAdverts, ord, ird, other);
    }
}
