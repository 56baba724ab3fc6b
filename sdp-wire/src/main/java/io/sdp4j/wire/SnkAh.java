package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of SinkAvail: a buffer of the Sink that the Source may write.
 *
 * <p>Shape: 20 bytes behind the BSDH; {@code at} is where they start. The first sixteen are those
 * of {@link SrcAh}, which reads them.
 *
 * {@snippet lang = text :
 * offset  0     4      8    16            20
 *       | Len | rkey | va | NonDiscards |
 * }
 *
 * <p>Source: docs/protocol.md 2.8; vectors V11 and V12.
 */
public final class SnkAh {
    /** Size of the header. */
    public static final int BYTES = 20;

    private SnkAh() {}

    /** Payload messages that did not discard an advertisement, by the Sink's count; wraps. */
    public static int nonDiscards(MemorySegment m, long at) {
        return m.get(Wire.INT, at + 16);
    }

    /** Writes the header. */
    public static void write(
            MemorySegment m, long at, int len, int rkey, long va, int nonDiscards) {
        SrcAh.write(m, at, len, rkey, va);
        m.set(Wire.INT, at + 16, nonDiscards);
    }
}
