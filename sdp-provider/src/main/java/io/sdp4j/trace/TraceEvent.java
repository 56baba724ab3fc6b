package io.sdp4j.trace;

import java.lang.foreign.MemorySegment;

/**
 * Something that happened on a connection, as a trace has it.
 *
 * @param nanos since the trace began
 * @param connection number of the connection
 * @param kind what it was
 * @param received whether the peer did it
 * @param byteLen bytes on the wire: of the message, or of the RDMA operation; not negative
 * @param kept the first bytes of a message; of other kinds the remote key and address, or a reason.
 *     They come from a file, so they cannot be trusted
 */
public record TraceEvent(
        long nanos, int connection, Kind kind, boolean received, int byteLen, MemorySegment kept) {

    /** Kinds of events. */
    public enum Kind {
        /** An SDP message. */
        MESSAGE(0),
        /** An RDMA Read was posted. */
        RDMA_READ(1),
        /** An RDMA Write was posted. */
        RDMA_WRITE(2),
        /** The connection below was closed in order. */
        DISCONNECT(3),
        /** The connection below was cut; the kept bytes say why, if it is known. */
        ABORT(4);

        private static final Kind[] BY_CODE = {MESSAGE, RDMA_READ, RDMA_WRITE, DISCONNECT, ABORT};

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** The kind's number in the file. */
        int code() {
            return code;
        }

        /** The kind of that code, or null. */
        static Kind of(int code) {
            return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        }
    }

    /** Bytes that were kept. */
    public int keptBytes() {
        return (int) kept.byteSize();
    }
}
