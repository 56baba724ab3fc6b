package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The {@code rdma_conn_param} of both sides.
 *
 * <p>A lost packet is sent again six times: seven would mean for ever on soft-RoCE. A receive that
 * is missing is tried three times at the connection manager's 655 ms; with credits it never is
 * (docs/verbs.md 6).
 */
final class ConnParams {
    private static final int RETRIES = 6;
    private static final int RNR_RETRIES = 3;

    private ConnParams() {}

    static MemorySegment of(Arena arena, byte[] privateData, int readsServed, int readsStarted) {
        MemorySegment p = arena.allocate(RdmaConnParam.LAYOUT);
        MemorySegment data = arena.allocateFrom(JAVA_BYTE, privateData);
        RdmaConnParam.set(p, data, readsServed, readsStarted, RETRIES, RNR_RETRIES);
        return p;
    }
}
