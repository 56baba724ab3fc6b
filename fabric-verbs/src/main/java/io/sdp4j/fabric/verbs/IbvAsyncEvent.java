package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct ibv_async_event}: 16 bytes; {@code element} is a union, of which the pointer is
 * used here (infiniband/verbs.h, rdma-core 44).
 */
final class IbvAsyncEvent {
    static final StructLayout LAYOUT = CStruct.of("ibv_async_event", "element 8 event_type 4");
    private static final long ELEMENT = CStruct.offset(LAYOUT, "element");
    private static final long EVENT_TYPE = CStruct.offset(LAYOUT, "event_type");

    static final int QP_FATAL = 1;
    static final int QP_REQ_ERR = 2;
    static final int QP_ACCESS_ERR = 3;
    static final int DEVICE_FATAL = 8;

    private IbvAsyncEvent() {}

    static int type(MemorySegment m) {
        return m.get(JAVA_INT, EVENT_TYPE);
    }

    /** Returns the address of the queue pair, if the event type is one of queue pairs. */
    static long queuePair(MemorySegment m) {
        return m.get(JAVA_LONG, ELEMENT);
    }
}
