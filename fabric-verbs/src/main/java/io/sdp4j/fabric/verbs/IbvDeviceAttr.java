package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** {@code struct ibv_device_attr}: 232 bytes (infiniband/verbs.h, rdma-core 44). */
final class IbvDeviceAttr {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_device_attr",
                    MemoryLayout.sequenceLayout(64, JAVA_BYTE).withName("fw_ver"),
                    JAVA_LONG.withName("node_guid"),
                    JAVA_LONG.withName("sys_image_guid"),
                    JAVA_LONG.withName("max_mr_size"),
                    JAVA_LONG.withName("page_size_cap"),
                    JAVA_INT.withName("vendor_id"),
                    JAVA_INT.withName("vendor_part_id"),
                    JAVA_INT.withName("hw_ver"),
                    JAVA_INT.withName("max_qp"),
                    JAVA_INT.withName("max_qp_wr"),
                    JAVA_INT.withName("device_cap_flags"),
                    JAVA_INT.withName("max_sge"),
                    JAVA_INT.withName("max_sge_rd"),
                    JAVA_INT.withName("max_cq"),
                    JAVA_INT.withName("max_cqe"),
                    JAVA_INT.withName("max_mr"),
                    JAVA_INT.withName("max_pd"),
                    JAVA_INT.withName("max_qp_rd_atom"),
                    JAVA_INT.withName("max_ee_rd_atom"),
                    JAVA_INT.withName("max_res_rd_atom"),
                    JAVA_INT.withName("max_qp_init_rd_atom"),
                    CStruct.skip(64),
                    JAVA_SHORT.withName("max_pkeys"),
                    JAVA_BYTE.withName("local_ca_ack_delay"),
                    JAVA_BYTE.withName("phys_port_cnt"));
    private static final long VENDOR_ID = CStruct.offset(LAYOUT, "vendor_id");
    private static final long MAX_QP_WR = CStruct.offset(LAYOUT, "max_qp_wr");
    private static final long MAX_CQE = CStruct.offset(LAYOUT, "max_cqe");
    private static final long MAX_QP_RD_ATOM = CStruct.offset(LAYOUT, "max_qp_rd_atom");
    private static final long MAX_INIT_RD_ATOM = CStruct.offset(LAYOUT, "max_qp_init_rd_atom");

    private IbvDeviceAttr() {}

    static int vendorId(MemorySegment m) {
        return m.get(JAVA_INT, VENDOR_ID);
    }

    static int maxQpWr(MemorySegment m) {
        return m.get(JAVA_INT, MAX_QP_WR);
    }

    static int maxCqe(MemorySegment m) {
        return m.get(JAVA_INT, MAX_CQE);
    }

    /** RDMA reads of the peer that a queue pair can serve at a time. */
    static int maxReadsServed(MemorySegment m) {
        return m.get(JAVA_INT, MAX_QP_RD_ATOM);
    }

    /** RDMA reads of its own that a queue pair can have under way. */
    static int maxReadsStarted(MemorySegment m) {
        return m.get(JAVA_INT, MAX_INIT_RD_ATOM);
    }
}
