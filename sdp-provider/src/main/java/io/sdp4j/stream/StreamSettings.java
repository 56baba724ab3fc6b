package io.sdp4j.stream;

import io.sdp4j.rdma.Capabilities;
import io.sdp4j.rdma.QpSpec;
import io.sdp4j.wire.WireConfig;

/**
 * What every stream of this process is made with.
 *
 * @param buffers private buffers of a stream, 4 to 64
 * @param bufferBytes size of each, BSDH included
 */
record StreamSettings(int buffers, int bufferBytes) {
    /** Advertisements we could hold; sdp-wire.md 18. */
    private static final int MAX_ADVERTS = 16;

    /** HelloAck in its longest form. */
    private static final int HELLO_ACK_BYTES = 196;

    QpSpec qpSpec() {
        return new QpSpec(buffers, bufferBytes, buffers);
    }

    WireConfig wireConfig(Capabilities c) {
        int depth = c.sendsCompleteAtPost() ? Integer.MAX_VALUE : buffers;
        int reads = Math.max(1, c.maxOutstandingReads());
        return new WireConfig(buffers, bufferBytes, depth, MAX_ADVERTS, reads, reads);
    }

    int helloAckBytes() {
        return HELLO_ACK_BYTES;
    }
}
