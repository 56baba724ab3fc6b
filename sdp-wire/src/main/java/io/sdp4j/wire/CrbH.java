package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of ChRcvBuf: wish for the size of the peer's receive buffers.
 *
 * <p>Shape: one unsigned 32-bit number, right behind the BSDH; {@code at} is where it starts.
 *
 * <p>Source: docs/protocol.md 2.9 and 9; vector V17a.
 */
public final class CrbH {
    /** Size of the header. */
    public static final int BYTES = 4;

    private CrbH() {}

    /** Wanted size, BSDH included, unsigned. */
    public static int desiredBytes(MemorySegment m, long at) {
        return m.get(Wire.INT, at);
    }

    /** Writes the header. */
    public static void write(MemorySegment m, long at, int desiredBytes) {
        m.set(Wire.INT, at, desiredBytes);
    }
}
