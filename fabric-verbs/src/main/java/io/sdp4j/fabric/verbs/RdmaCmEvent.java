package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * {@code struct rdma_cm_event}: 80 bytes, owned by the library until it is acknowledged. The
 * parameters are those of a connection; the union's datagram form is not used (rdma/rdma_cma.h,
 * rdma-core 44).
 *
 * <p>{@code private_data_len} is the size of the field on InfiniBand and RoCE, the size of what was
 * sent on iWARP.
 */
final class RdmaCmEvent {
    static final StructLayout LAYOUT =
            CStruct.of(
                    "rdma_cm_event",
                    "id 8 listen_id 8 event 4 status 4 param { conn { "
                            + RdmaConnParam.MEMBERS
                            + " } -32 }");
    private static final long ID = CStruct.offset(LAYOUT, "id");
    private static final long LISTEN_ID = CStruct.offset(LAYOUT, "listen_id");
    private static final long EVENT = CStruct.offset(LAYOUT, "event");
    private static final long STATUS = CStruct.offset(LAYOUT, "status");
    private static final long PARAM = CStruct.offset(LAYOUT, "param", "conn");

    static final int ADDR_RESOLVED = 0;
    static final int ADDR_ERROR = 1;
    static final int ROUTE_RESOLVED = 2;
    static final int ROUTE_ERROR = 3;
    static final int CONNECT_REQUEST = 4;
    static final int CONNECT_ERROR = 6;
    static final int UNREACHABLE = 7;
    static final int REJECTED = 8;
    static final int ESTABLISHED = 9;
    static final int DISCONNECTED = 10;
    static final int DEVICE_REMOVAL = 11;
    static final int ADDR_CHANGE = 14;

    private RdmaCmEvent() {}

    /** Status of an event when the library's own step failed; {@code errno} says why. */
    private static final int OWN_FAILURE = -1;

    /** Returns a copy that outlives the acknowledgement. */
    @SuppressWarnings("restricted") // the library says where its private data is
    static CmEvent copy(RdmaCm.Fetched event) {
        MemorySegment e = Bindings.at(event.at(), LAYOUT);
        int type = e.get(JAVA_INT, EVENT);
        byte[] data = new byte[0];
        long address = RdmaConnParam.privateData(e, PARAM);
        boolean carries = type == CONNECT_REQUEST || type == ESTABLISHED || type == REJECTED;
        if (carries && address != 0) {
            data =
                    MemorySegment.ofAddress(address)
                            .reinterpret(RdmaConnParam.privateBytes(e, PARAM))
                            .toArray(JAVA_BYTE);
        }
        int status = e.get(JAVA_INT, STATUS);
        return new CmEvent(
                type,
                status,
                status == OWN_FAILURE ? event.errno() : 0,
                e.get(JAVA_LONG, ID),
                e.get(JAVA_LONG, LISTEN_ID),
                data,
                RdmaConnParam.readsServed(e, PARAM),
                RdmaConnParam.readsStarted(e, PARAM));
    }
}
