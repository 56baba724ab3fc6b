package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ibv_qp_init_attr}: 64 bytes; granted values are written back into {@code cap}
 * (infiniband/verbs.h, rdma-core 44).
 */
final class IbvQpInitAttr {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_qp_init_attr",
                    "qp_context 8 send_cq 8 recv_cq 8 srq 8"
                            + " cap { max_send_wr 4 max_recv_wr 4"
                            + " max_send_sge 4 max_recv_sge 4 max_inline_data 4 }"
                            + " qp_type 4 sq_sig_all 4");
    private static final int QPT_RC = 2;
    private static final long SEND_CQ = CStruct.offset(LAYOUT, "send_cq");
    private static final long RECV_CQ = CStruct.offset(LAYOUT, "recv_cq");
    private static final long MAX_SEND_WR = CStruct.offset(LAYOUT, "cap", "max_send_wr");
    private static final long MAX_RECV_WR = CStruct.offset(LAYOUT, "cap", "max_recv_wr");
    private static final long MAX_SEND_SGE = CStruct.offset(LAYOUT, "cap", "max_send_sge");
    private static final long MAX_RECV_SGE = CStruct.offset(LAYOUT, "cap", "max_recv_sge");
    private static final long MAX_INLINE = CStruct.offset(LAYOUT, "cap", "max_inline_data");
    private static final long QP_TYPE = CStruct.offset(LAYOUT, "qp_type");

    private IbvQpInitAttr() {}

    /**
     * Sets the attributes of an RC queue pair with one SGE for each WR. All other fields stay zero.
     */
    static void setRc(
            MemorySegment m,
            long sendCq,
            long receiveCq,
            int sendWrs,
            int receiveWrs,
            int inlineBytes) {
        m.fill((byte) 0);
        m.set(JAVA_LONG, SEND_CQ, sendCq);
        m.set(JAVA_LONG, RECV_CQ, receiveCq);
        m.set(JAVA_INT, MAX_SEND_WR, sendWrs);
        m.set(JAVA_INT, MAX_RECV_WR, receiveWrs);
        m.set(JAVA_INT, MAX_SEND_SGE, 1);
        m.set(JAVA_INT, MAX_RECV_SGE, 1);
        m.set(JAVA_INT, MAX_INLINE, inlineBytes);
        m.set(JAVA_INT, QP_TYPE, QPT_RC);
    }

    static int inlineBytes(MemorySegment m) {
        return m.get(JAVA_INT, MAX_INLINE);
    }
}
