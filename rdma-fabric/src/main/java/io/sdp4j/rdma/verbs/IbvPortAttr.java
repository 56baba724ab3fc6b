package io.sdp4j.rdma.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ibv_port_attr}: 52 bytes, of which the library's symbol fills 48
 * (infiniband/verbs.h, rdma-core 44).
 */
final class IbvPortAttr {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_port_attr",
                    JAVA_INT.withName("state"),
                    JAVA_INT.withName("max_mtu"),
                    JAVA_INT.withName("active_mtu"),
                    JAVA_INT.withName("gid_tbl_len"),
                    JAVA_INT.withName("port_cap_flags"),
                    JAVA_INT.withName("max_msg_sz"),
                    JAVA_INT.withName("bad_pkey_cntr"),
                    JAVA_INT.withName("qkey_viol_cntr"),
                    JAVA_SHORT.withName("pkey_tbl_len"),
                    JAVA_SHORT.withName("lid"),
                    JAVA_SHORT.withName("sm_lid"),
                    JAVA_BYTE.withName("lmc"),
                    JAVA_BYTE.withName("max_vl_num"),
                    JAVA_BYTE.withName("sm_sl"),
                    JAVA_BYTE.withName("subnet_timeout"),
                    JAVA_BYTE.withName("init_type_reply"),
                    JAVA_BYTE.withName("active_width"),
                    JAVA_BYTE.withName("active_speed"),
                    JAVA_BYTE.withName("phys_state"),
                    JAVA_BYTE.withName("link_layer"),
                    JAVA_BYTE.withName("flags"),
                    JAVA_SHORT.withName("port_cap_flags2"),
                    CStruct.skip(2));
    private static final long STATE = CStruct.offset(LAYOUT, "state");
    private static final long ACTIVE_MTU = CStruct.offset(LAYOUT, "active_mtu");
    private static final long LINK_LAYER = CStruct.offset(LAYOUT, "link_layer");
    private static final int STATE_ACTIVE = 4;

    private IbvPortAttr() {}

    static boolean active(MemorySegment m) {
        return m.get(JAVA_INT, STATE) == STATE_ACTIVE;
    }

    static String stateText(MemorySegment m) {
        return switch (m.get(JAVA_INT, STATE)) {
            case 1 -> "down";
            case 2 -> "initialising, it waits for a subnet manager";
            case 3 -> "armed";
            case STATE_ACTIVE -> "active";
            default -> "in an unknown state";
        };
    }

    /** Payload of one packet. */
    static int mtuBytes(MemorySegment m) {
        int code = m.get(JAVA_INT, ACTIVE_MTU);
        return code >= 1 && code <= 5 ? 128 << code : 0;
    }

    static String linkLayer(MemorySegment m) {
        return switch (m.get(JAVA_BYTE, LINK_LAYER)) {
            case 1 -> "InfiniBand";
            case 2 -> "Ethernet";
            default -> "unknown link layer";
        };
    }
}
