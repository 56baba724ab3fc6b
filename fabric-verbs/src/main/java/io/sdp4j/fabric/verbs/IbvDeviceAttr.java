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

    private IbvDeviceAttr() {}

    /** Returns the number with this name. */
    static int get(MemorySegment m, String name) {
        return m.get(JAVA_INT, CStruct.offset(LAYOUT, name));
    }
}
