package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.StructLayout;

/**
 * The beginning of {@code struct ibv_qp}. Owned by the library, which notes there what it has made
 * of the queue pair (infiniband/verbs.h, rdma-core 44).
 */
final class IbvQp {
    static final StructLayout LAYOUT = CStruct.of("ibv_qp", "-56 state 4");
    private static final long STATE = CStruct.offset(LAYOUT, "state");

    /** It can receive: the connection manager knows the peer's answer. */
    static final int READY_TO_RECEIVE = 2;

    private IbvQp() {}

    static int state(long qp) {
        return Bindings.at(qp, LAYOUT).get(JAVA_INT, STATE);
    }
}
