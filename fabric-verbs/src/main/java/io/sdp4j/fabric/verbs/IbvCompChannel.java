package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.StructLayout;

/**
 * {@code struct ibv_comp_channel}: 16 bytes, owned by the library (infiniband/verbs.h, rdma-core
 * 44).
 */
final class IbvCompChannel {
    static final StructLayout LAYOUT = CStruct.of("ibv_comp_channel", "context 8 fd 4 refcnt 4");
    private static final long FD = CStruct.offset(LAYOUT, "fd");

    private IbvCompChannel() {}

    static int fd(long channel) {
        return Bindings.at(channel, LAYOUT).get(JAVA_INT, FD);
    }
}
