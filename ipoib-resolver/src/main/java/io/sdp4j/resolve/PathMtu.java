package io.sdp4j.resolve;

/** The largest packet of a transport, from what the interface says. */
final class PathMtu {
    /** Most bytes that RoCE puts round a payload, as the kernel reckons it (rdma/ib_addr.h). */
    private static final int ROCE_OVERHEAD_BYTES = 96;

    /** IPoIB's header in front of a datagram (RFC 4391). */
    private static final int IPOIB_HEADER_BYTES = 4;

    private static final int SMALLEST = 256;
    private static final int LARGEST = 4096;

    private PathMtu() {}

    /**
     * A power of two from 256 to 4096; 0 on iWARP, where TCP cuts segments, and on IPoIB in
     * connected mode, whose interface does not tell.
     */
    static int bytes(RdmaPort port, InterfaceInfo link) {
        if (port.iwarp()) {
            return 0;
        }
        if (!port.isInfiniBand()) {
            return floor(link.mtuBytes() - ROCE_OVERHEAD_BYTES);
        }
        int mtu = link.mtuBytes() + IPOIB_HEADER_BYTES;
        return mtu > LARGEST ? 0 : floor(mtu);
    }

    private static int floor(int bytes) {
        return bytes < SMALLEST ? 0 : Math.min(LARGEST, Integer.highestOneBit(bytes));
    }
}
