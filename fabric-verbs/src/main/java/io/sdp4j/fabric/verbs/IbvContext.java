package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The beginning of {@code struct ibv_context}, an opened device. Owned by the library. The verbs of
 * the data path are function pointers in {@code ops}; they have no symbols (infiniband/verbs.h,
 * rdma-core 44).
 */
final class IbvContext {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "ibv_context",
                    "device 8"
                            + " ops { -88 poll_cq 8 req_notify_cq 8 -96 post_send 8 post_recv 8 -40 }"
                            + " cmd_fd 4 async_fd 4 num_comp_vectors 4");
    private static final long DEVICE = CStruct.offset(LAYOUT, "device");
    private static final long POLL_CQ = CStruct.offset(LAYOUT, "ops", "poll_cq");
    private static final long REQ_NOTIFY_CQ = CStruct.offset(LAYOUT, "ops", "req_notify_cq");
    private static final long POST_SEND = CStruct.offset(LAYOUT, "ops", "post_send");
    private static final long POST_RECV = CStruct.offset(LAYOUT, "ops", "post_recv");
    private static final long CMD_FD = CStruct.offset(LAYOUT, "cmd_fd");
    private static final long ASYNC_FD = CStruct.offset(LAYOUT, "async_fd");
    private static final long VECTORS = CStruct.offset(LAYOUT, "num_comp_vectors");

    private IbvContext() {}

    static long device(MemorySegment c) {
        return c.get(JAVA_LONG, DEVICE);
    }

    static MemorySegment pollCq(MemorySegment c) {
        return MemorySegment.ofAddress(c.get(JAVA_LONG, POLL_CQ));
    }

    static MemorySegment reqNotifyCq(MemorySegment c) {
        return MemorySegment.ofAddress(c.get(JAVA_LONG, REQ_NOTIFY_CQ));
    }

    static MemorySegment postSend(MemorySegment c) {
        return MemorySegment.ofAddress(c.get(JAVA_LONG, POST_SEND));
    }

    static MemorySegment postRecv(MemorySegment c) {
        return MemorySegment.ofAddress(c.get(JAVA_LONG, POST_RECV));
    }

    static int cmdFd(MemorySegment c) {
        return c.get(JAVA_INT, CMD_FD);
    }

    static int asyncFd(MemorySegment c) {
        return c.get(JAVA_INT, ASYNC_FD);
    }

    /** Whether the fields make sense together; if not, the library has another layout. */
    static boolean plausible(MemorySegment c) {
        int vectors = c.get(JAVA_INT, VECTORS);
        return device(c) != 0
                && c.get(JAVA_LONG, POLL_CQ) != 0
                && c.get(JAVA_LONG, REQ_NOTIFY_CQ) != 0
                && c.get(JAVA_LONG, POST_SEND) != 0
                && c.get(JAVA_LONG, POST_RECV) != 0
                && cmdFd(c) >= 0
                && asyncFd(c) >= 0
                && vectors > 0
                && vectors <= 1 << 16;
    }
}
