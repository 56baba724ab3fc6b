package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of ChRcvBufAck: the size that resulted; the old one when refused.
 *
 * <p>Shape: one unsigned 32-bit number, right behind the BSDH; {@code at} is where it starts.
 *
 * <p>Source: docs/protocol.md 2.9 and 9; vector V17b.
 */
public final class CrbAh {
    /** Size of the header. */
    public static final int BYTES = 4;

    private CrbAh() {}

    /** Size from now on, BSDH included, unsigned. */
    public static int actualBytes(MemorySegment m, long at) {
        return m.get(Wire.INT, at);
    }

    /** Writes the header. */
    public static void write(MemorySegment m, long at, int actualBytes) {
        m.set(Wire.INT, at, actualBytes);
    }
}
