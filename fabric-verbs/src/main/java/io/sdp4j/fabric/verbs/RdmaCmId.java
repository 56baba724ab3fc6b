package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;

/**
 * The beginning of {@code struct rdma_cm_id}, one end of a connection or a listener. Owned by the
 * library (rdma/rdma_cma.h, rdma-core 44).
 */
final class RdmaCmId {
    private static final int STORAGE_BYTES = 128;

    private static MemoryLayout storage(String name) {
        return MemoryLayout.sequenceLayout(STORAGE_BYTES, JAVA_BYTE).withName(name);
    }

    static final StructLayout LAYOUT =
            CStruct.of(
                    "rdma_cm_id",
                    JAVA_LONG.withName("verbs"),
                    JAVA_LONG.withName("channel"),
                    JAVA_LONG.withName("context"),
                    JAVA_LONG.withName("qp"),
                    CStruct.of(
                            "route",
                            CStruct.of(
                                    "addr",
                                    storage("src_storage"),
                                    storage("dst_storage"),
                                    CStruct.skip(40)),
                            JAVA_LONG.withName("path_rec"),
                            JAVA_INT.withName("num_paths"),
                            CStruct.skip(4)),
                    JAVA_INT.withName("ps"),
                    JAVA_BYTE.withName("port_num"));
    private static final long VERBS = CStruct.offset(LAYOUT, "verbs");
    private static final long QP = CStruct.offset(LAYOUT, "qp");
    private static final long SRC = CStruct.offset(LAYOUT, "route", "addr", "src_storage");
    private static final long DST = CStruct.offset(LAYOUT, "route", "addr", "dst_storage");

    private RdmaCmId() {}

    private static MemorySegment at(long id) {
        return Bindings.at(id, LAYOUT);
    }

    /** Address of the device's {@code ibv_context}; 0 while it is not known. */
    static long verbs(long id) {
        return at(id).get(JAVA_LONG, VERBS);
    }

    /** Address of the {@code ibv_qp}. */
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
