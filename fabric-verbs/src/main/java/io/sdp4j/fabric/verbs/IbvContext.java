package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.stream.Stream;

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

    private IbvContext() {}

    static long device(MemorySegment c) {
        return c.get(JAVA_LONG, CStruct.offset(LAYOUT, "device"));
    }

    /** Returns the verb of the data path with this name. */
    static MemorySegment verb(MemorySegment c, String name) {
        return MemorySegment.ofAddress(c.get(JAVA_LONG, CStruct.offset(LAYOUT, "ops", name)));
    }

    static int cmdFd(MemorySegment c) {
        return c.get(JAVA_INT, CStruct.offset(LAYOUT, "cmd_fd"));
    }

    static int asyncFd(MemorySegment c) {
        return c.get(JAVA_INT, CStruct.offset(LAYOUT, "async_fd"));
    }

    /** Whether the fields are plausible; if not, the library has another layout. */
    static boolean plausible(MemorySegment c) {
        int vectors = c.get(JAVA_INT, CStruct.offset(LAYOUT, "num_comp_vectors"));
        return device(c) != 0
                && Stream.of("poll_cq", "req_notify_cq", "post_send", "post_recv")
                        .allMatch(name -> verb(c, name).address() != 0)
                && cmdFd(c) >= 0
                && asyncFd(c) >= 0
                && vectors > 0
                && vectors <= 1 << 16;
    }
}
