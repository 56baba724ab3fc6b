package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.StructLayout;

/** {@code struct rdma_event_channel}, owned by the library (rdma/rdma_cma.h, rdma-core 44). */
final class RdmaEventChannel {
    static final StructLayout LAYOUT = CStruct.of("rdma_event_channel", "fd 4");
    private static final long FD = CStruct.offset(LAYOUT, "fd");

    private RdmaEventChannel() {}

    static int fd(long channel) {
        return Bindings.at(channel, LAYOUT).get(JAVA_INT, FD);
    }
}
