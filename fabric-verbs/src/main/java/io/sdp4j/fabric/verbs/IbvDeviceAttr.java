package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/** {@code struct ibv_device_attr}: 232 bytes (infiniband/verbs.h, rdma-core 44). */
final class IbvDeviceAttr {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_device_attr",
                    "fw_ver 64x1 node_guid 8 sys_image_guid 8 max_mr_size 8 page_size_cap 8"
                            + " vendor_id 4 vendor_part_id 4 hw_ver 4 max_qp 4 max_qp_wr 4"
                            + " device_cap_flags 4 max_sge 4 max_sge_rd 4 max_cq 4 max_cqe 4 max_mr 4"
                            + " max_pd 4 max_qp_rd_atom 4 max_ee_rd_atom 4 max_res_rd_atom 4"
                            + " max_qp_init_rd_atom 4 -64 max_pkeys 2 local_ca_ack_delay 1"
                            + " phys_port_cnt 1");
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
