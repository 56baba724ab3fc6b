package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;

/**
 * The beginning of {@code struct rdma_cm_id}, one end of a connection or a listener. Owned by the
 * library (rdma/rdma_cma.h, rdma-core 44).
 */
final class RdmaCmId {
    private static final int STORAGE_BYTES = 128;
    static final StructLayout LAYOUT =
            CStruct.of(
                    "rdma_cm_id",
                    "verbs 8 channel 8 context 8 qp 8"
                            + " route { addr { src_storage 128x1 dst_storage 128x1 -40 }"
                            + " path_rec 8 num_paths 4 -4 }"
                            + " ps 4 port_num 1");
    private static final long VERBS = CStruct.offset(LAYOUT, "verbs");
    private static final long QP = CStruct.offset(LAYOUT, "qp");
    private static final long SRC = CStruct.offset(LAYOUT, "route", "addr", "src_storage");
    private static final long DST = CStruct.offset(LAYOUT, "route", "addr", "dst_storage");

    private RdmaCmId() {}

    private static MemorySegment at(long id) {
        return Bindings.at(id, LAYOUT);
    }

    /** Returns the address of the device's {@code ibv_context}; 0 while the device is not known. */
    static long verbs(long id) {
        return at(id).get(JAVA_LONG, VERBS);
    }

    /** Returns the address of the {@code ibv_qp}. */
    static long queuePair(long id) {
        return at(id).get(JAVA_LONG, QP);
    }

    static InetSocketAddress source(long id) {
        return SockAddr.get(at(id).asSlice(SRC, STORAGE_BYTES));
    }

    static InetSocketAddress destination(long id) {
        return SockAddr.get(at(id).asSlice(DST, STORAGE_BYTES));
    }
}
