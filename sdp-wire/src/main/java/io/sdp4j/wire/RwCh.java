package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of RdmaWrCompl: bytes written into the oldest SinkAvail.
 *
 * <p>Shape: one unsigned 32-bit number, right behind the BSDH; {@code at} is where it starts.
 *
 * <p>Source: docs/protocol.md 2.9; vector V14.
 */
public final class RwCh {
    /** Size of the header. */
    public static final int BYTES = 4;

    private RwCh() {}

    /** Bytes written, unsigned. */
    public static int len(MemorySegment m, long at) {
        return m.get(Wire.INT, at);
    }

    /** Writes the header. */
    public static void write(MemorySegment m, long at, int len) {
        m.set(Wire.INT, at, len);
    }
}
