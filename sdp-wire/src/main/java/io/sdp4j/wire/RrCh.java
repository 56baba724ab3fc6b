package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of RdmaRdCompl: bytes read from the oldest SrcAvail since the last one.
 *
 * <p>Shape: one unsigned 32-bit number, right behind the BSDH; {@code at} is where it starts.
 *
 * <p>Source: docs/protocol.md 2.9; vectors V13a and V13b.
 */
public final class RrCh {
    /** Size of the header. */
    public static final int BYTES = 4;

    private RrCh() {}

    /** Bytes read, inline payload not counted, unsigned. */
    public static int len(MemorySegment m, long at) {
        return m.get(Wire.INT, at);
    }

    /** Writes the header. */
    public static void write(MemorySegment m, long at, int len) {
        m.set(Wire.INT, at, len);
    }
}
