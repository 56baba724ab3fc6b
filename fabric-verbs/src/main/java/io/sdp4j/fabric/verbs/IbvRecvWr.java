package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** {@code struct ibv_recv_wr}, a posted receive: 32 bytes (infiniband/verbs.h, rdma-core 44). */
final class IbvRecvWr {
    static final StructLayout LAYOUT =
            CStruct.of("ibv_recv_wr", "wr_id 8 next 8 sg_list 8 num_sge 4");
    static final long BYTES = LAYOUT.byteSize();
    private static final long WR_ID = CStruct.offset(LAYOUT, "wr_id");
    private static final long NEXT = CStruct.offset(LAYOUT, "next");
    private static final long SG_LIST = CStruct.offset(LAYOUT, "sg_list");
    private static final long NUM_SGE = CStruct.offset(LAYOUT, "num_sge");

    private IbvRecvWr() {}

    /** Sets a receive into the one SGE at address {@code sgList}. */
    static void set(MemorySegment m, long at, long wrId, long sgList) {
        m.set(JAVA_LONG, at + WR_ID, wrId);
        m.set(JAVA_LONG, at + NEXT, 0L);
        m.set(JAVA_LONG, at + SG_LIST, sgList);
        m.set(JAVA_INT, at + NUM_SGE, 1);
    }

    /** Chains the WR at address {@code next} behind this one; 0 = none. */
    static void setNext(MemorySegment m, long at, long next) {
        m.set(JAVA_LONG, at + NEXT, next);
    }
}
