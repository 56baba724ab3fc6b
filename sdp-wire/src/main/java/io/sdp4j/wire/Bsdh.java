package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The Base Sockets Direct Header that starts every SDP message, read and written in place.
 *
 * <p>Shape: 16 bytes, big-endian, no alignment assumed.
 *
 * {@snippet lang = text :
 *  offset  0     1       2      4     8      12        16
 *        | MID | Flags | Bufs | Len | MSeq | MSeqAck | payload ...
 * }
 *
 * Units: {@code Len} counts bytes, header included; {@code Bufs} counts posted private buffers;
 * {@code MSeq} and {@code MSeqAck} count messages and wrap at 2^32, so compare them by difference.
 *
 * <p>Errors: {@link #check} never throws, it names the first fault. The readers assume a checked
 * header.
 *
 * <p>Source: docs/protocol.md 2.1 to 2.3; vectors V01 to V20.
 */
public final class Bsdh {
    /** Size of the header. */
    public static final int BYTES = 16;

    /** Longest message header: BSDH and SinkAvail header. */
    public static final int MAX_HEADER_BYTES = 36;

    /** Flag: the last payload byte of this Data message is the out-of-band byte. */
    public static final int OOB_PRES = 0x01;

    /** Flag: the peer's application has queued an out-of-band byte. */
    public static final int OOB_PEND = 0x02;

    /** Flag of RdmaRdCompl: the Sink would like Pipelined mode. */
    public static final int REQ_PIPE = 0x04;

    private Bsdh() {}

    /** Bytes 0 to 7 as one big-endian number: MID, Flags, Bufs and Len. */
    public static long first(MemorySegment m, long at) {
        return m.get(Wire.LONG, at);
    }

    /** Bytes 8 to 15 as one big-endian number: MSeq and MSeqAck. */
    public static long second(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 8);
    }

    /** Message identifier, 0..255: see {@link Mid}. */
    public static int mid(long first) {
        return (int) (first >>> 56);
    }

    /** Flags, 0..255. */
    public static int flags(long first) {
        return (int) (first >>> 48) & 0xFF;
    }

    /** Private buffers posted at the sender, 0..65,535. */
    public static int bufs(long first) {
        return (int) (first >>> 32) & 0xFFFF;
    }

    /** Bytes of the whole message, unsigned. */
    public static int len(long first) {
        return (int) first;
    }

    /** Number of this message. */
    public static int mseq(long second) {
        return (int) (second >>> 32);
    }

    /** Number of the last message its sender had received. */
    public static int mseqAck(long second) {
        return (int) second;
    }

    /** As {@link #mid(long)}; reads one byte. */
    public static int mid(MemorySegment m, long at) {
        return m.get(Wire.BYTE, at) & 0xFF;
    }

    /** As {@link #bufs(long)}. */
    public static int bufs(MemorySegment m, long at) {
        return bufs(first(m, at));
    }

    /** As {@link #len(long)}. */
    public static int len(MemorySegment m, long at) {
        return len(first(m, at));
    }

    /** Writes a header at {@code at}. */
    public static void write(
            MemorySegment m,
            long at,
            int mid,
            int flags,
            int bufs,
            int lenBytes,
            int mseq,
            int mseqAck) {
        Wire.putLong(m, at, first(mid, flags, bufs, lenBytes));
        Wire.putLong(m, at + 8, second(mseq, mseqAck));
    }

    /** Bytes 0 to 7 as one big-endian number. */
    static long first(int mid, int flags, int bufs, int lenBytes) {
        return ((long) mid << 56)
                | ((flags & 0xFFL) << 48)
                | ((bufs & 0xFFFFL) << 32)
                | (lenBytes & 0xFFFF_FFFFL);
    }

    /** Bytes 8 to 15 as one big-endian number. */
    static long second(int mseq, int mseqAck) {
        return ((long) mseq << 32) | (mseqAck & 0xFFFF_FFFFL);
    }

    /**
     * The first fault of a message of {@code byteLen} bytes, or NONE: all that can be told without
     * knowing the connection (docs/protocol.md 2.13).
     *
     * @param first see {@link #first}; its value does not matter where there are no 16 bytes
     */
    static AbortReason check(long first, int byteLen) {
        if (byteLen < BYTES) {
            return AbortReason.SHORT_MESSAGE;
        }
        if (len(first) != byteLen) {
            return AbortReason.BAD_LENGTH;
        }
        int mid = mid(first);
        if (mid == Mid.DATA && (flags(first) & OOB_PRES) == 0) {
            return AbortReason.NONE;
        }
        if (!Mid.known(mid)) {
            return AbortReason.RESERVED_MID;
        }
        int payloadBytes = byteLen - BYTES - Mid.extendedBytes(mid);
        if (payloadBytes < 0) {
            return AbortReason.TRUNCATED_HEADER;
        }
        if (payloadBytes > 0 && !Mid.mayCarryPayload(mid)) {
            return AbortReason.UNEXPECTED_PAYLOAD;
        }
        if ((flags(first) & OOB_PRES) != 0 && (mid != Mid.DATA || payloadBytes == 0)) {
            return AbortReason.BAD_URGENT_FLAG;
        }
        return AbortReason.NONE;
    }
}
