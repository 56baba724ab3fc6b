package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ibv_send_wr}, a WR for the send queue: 128 bytes. The end is a union for kinds that
 * are not used here and stays zero (infiniband/verbs.h, rdma-core 44).
 */
final class IbvSendWr {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_send_wr",
                    "wr_id 8 next 8 sg_list 8 num_sge 4 opcode 4 send_flags 4 imm_data 4"
                            + " wr { rdma { remote_addr 8 rkey 4 } -16 } -56");
    static final long BYTES = LAYOUT.byteSize();
    private static final long WR_ID = CStruct.offset(LAYOUT, "wr_id");
    private static final long SG_LIST = CStruct.offset(LAYOUT, "sg_list");
    private static final long NUM_SGE = CStruct.offset(LAYOUT, "num_sge");
    private static final long OPCODE = CStruct.offset(LAYOUT, "opcode");
    private static final long SEND_FLAGS = CStruct.offset(LAYOUT, "send_flags");
    private static final long REMOTE_ADDR = CStruct.offset(LAYOUT, "wr", "rdma", "remote_addr");
    private static final long RKEY = CStruct.offset(LAYOUT, "wr", "rdma", "rkey");

    static final int OP_RDMA_WRITE = 0;
    static final int OP_SEND = 2;
    static final int OP_RDMA_READ = 4;

    static final int SIGNALED = 2;
    static final int SOLICITED = 4;
    static final int INLINE = 8;

    private IbvSendWr() {}

    /** Sets a WR with {@code sges} SGEs at address {@code sgList}; {@code next} stays zero. */
    static void set(
            MemorySegment m, long at, long wrId, long sgList, int sges, int opcode, int flags) {
        m.set(JAVA_LONG, at + WR_ID, wrId);
        m.set(JAVA_LONG, at + SG_LIST, sgList);
        m.set(JAVA_INT, at + NUM_SGE, sges);
        m.set(JAVA_INT, at + OPCODE, opcode);
        m.set(JAVA_INT, at + SEND_FLAGS, flags);
    }

    static void setRemote(MemorySegment m, long at, long remoteAddress, int rkey) {
        m.set(JAVA_LONG, at + REMOTE_ADDR, remoteAddress);
        m.set(JAVA_INT, at + RKEY, rkey);
    }
}
