package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.StructLayout;

/** {@code struct ibv_mr}: 48 bytes, owned by the library (infiniband/verbs.h, rdma-core 44). */
final class IbvMr {
    static final StructLayout LAYOUT =
            CStruct.of("ibv_mr", "context 8 pd 8 addr 8 length 8 handle 4 lkey 4 rkey 4");
    private static final long LKEY = CStruct.offset(LAYOUT, "lkey");
    private static final long RKEY = CStruct.offset(LAYOUT, "rkey");

    private IbvMr() {}

    static int lkey(long mr) {
        return Bindings.at(mr, LAYOUT).get(JAVA_INT, LKEY);
    }

    static int rkey(long mr) {
        return Bindings.at(mr, LAYOUT).get(JAVA_INT, RKEY);
    }
}
