package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of SrcAvail: a buffer of the Source that the Sink may read.
 *
 * <p>Shape: 16 bytes behind the BSDH; {@code at} is where they start.
 *
 * {@snippet lang = text :
 * offset  0     4      8     16
 *       | Len | rkey | va |
 * }
 *
 * <p>Source: docs/protocol.md 2.7; vectors V09 and V10.
 */
public final class SrcAh {
    /** Size of the header. */
    public static final int BYTES = 16;

    private SrcAh() {}

    /** Bytes of the whole advertised buffer, 1..2^31, unsigned. */
    public static int len(MemorySegment m, long at) {
        return m.get(Wire.INT, at);
    }

    /** Remote key, opaque. */
    public static int rkey(MemorySegment m, long at) {
        return m.get(Wire.INT, at + 4);
    }

    /** Remote address, opaque, at any alignment. */
    public static long va(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 8);
    }

    /** Whether the advertised length is one the protocol allows. */
    public static boolean lenLegal(MemorySegment m, long at) {
        int len = len(m, at);
        return len != 0 && Integer.compareUnsigned(len, 1 << 31) <= 0;
    }

    /** Writes the header. */
    public static void write(MemorySegment m, long at, int len, int rkey, long va) {
        m.set(Wire.INT, at, len);
        m.set(Wire.INT, at + 4, rkey);
        m.set(Wire.LONG, at + 8, va);
    }
}
