package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.StructLayout;

/** {@code struct ibv_mr}: 48 bytes, owned by the library (infiniband/verbs.h, rdma-core 44). */
final class IbvMr {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_mr",
                    JAVA_LONG.withName("context"),
                    JAVA_LONG.withName("pd"),
                    JAVA_LONG.withName("addr"),
                    JAVA_LONG.withName("length"),
                    JAVA_INT.withName("handle"),
                    JAVA_INT.withName("lkey"),
                    JAVA_INT.withName("rkey"));
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
