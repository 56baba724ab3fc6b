package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct rdma_conn_param}: 24 bytes (rdma/rdma_cma.h, rdma-core 44).
 *
 * <p>A lost packet is sent again six times: seven would mean forever on soft-RoCE. A send that
 * finds no receive is tried again three times at the connection manager's interval of 655 ms; with
 * credits this never happens (docs/verbs.md 6).
 */
final class RdmaConnParam {
    /** The members of the struct, which are also part of connection events. */
    static final String MEMBERS =
            "private_data 8 private_data_len 1 responder_resources 1 initiator_depth 1"
                    + " flow_control 1 retry_count 1 rnr_retry_count 1 srq 1 qp_num 4";

    static final StructLayout LAYOUT = CStruct.of("rdma_conn_param", MEMBERS);
    private static final long PRIVATE_DATA = CStruct.offset(LAYOUT, "private_data");
    private static final long PRIVATE_LEN = CStruct.offset(LAYOUT, "private_data_len");
    private static final long RESPONDER = CStruct.offset(LAYOUT, "responder_resources");
    private static final long INITIATOR = CStruct.offset(LAYOUT, "initiator_depth");
    private static final long RETRY = CStruct.offset(LAYOUT, "retry_count");
    private static final long RNR_RETRY = CStruct.offset(LAYOUT, "rnr_retry_count");

    private static final byte RETRIES = 6;
    private static final byte RNR_RETRIES = 3;

    private RdmaConnParam() {}

    /**
     * Returns the parameters of either side.
     *
     * @param readsServed {@code responder_resources}
     * @param readsStarted {@code initiator_depth}
     */
    static MemorySegment of(Arena arena, byte[] privateData, int readsServed, int readsStarted) {
        MemorySegment m = arena.allocate(LAYOUT);
        m.set(JAVA_LONG, PRIVATE_DATA, arena.allocateFrom(JAVA_BYTE, privateData).address());
        m.set(JAVA_BYTE, PRIVATE_LEN, (byte) privateData.length);
        m.set(JAVA_BYTE, RESPONDER, (byte) readsServed);
        m.set(JAVA_BYTE, INITIATOR, (byte) readsStarted);
        m.set(JAVA_BYTE, RETRY, RETRIES);
        m.set(JAVA_BYTE, RNR_RETRY, RNR_RETRIES);
        return m;
    }

    static long privateData(MemorySegment m, long at) {
        return m.get(JAVA_LONG, at + PRIVATE_DATA);
    }

    static int privateBytes(MemorySegment m, long at) {
        return Byte.toUnsignedInt(m.get(JAVA_BYTE, at + PRIVATE_LEN));
    }

    static int readsServed(MemorySegment m, long at) {
        return Byte.toUnsignedInt(m.get(JAVA_BYTE, at + RESPONDER));
    }

    static int readsStarted(MemorySegment m, long at) {
        return Byte.toUnsignedInt(m.get(JAVA_BYTE, at + INITIATOR));
    }
}
