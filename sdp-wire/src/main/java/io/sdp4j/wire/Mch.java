package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of ModeChange, and the modes of a half-connection.
 *
 * <p>Shape: one 32-bit word behind the BSDH, at {@code at}: bit 31 is S, bits 30..28 the mode, the
 * rest reserved: zero when sent, ignored when received. S = 0: the receiver of the message changes
 * its receive half; S = 1: its send half.
 *
 * <p>Source: docs/protocol.md 2.10 and 7; vectors V15a to V15d.
 */
public final class Mch {
    /** Size of the header. */
    public static final int BYTES = 4;

    /** Mode: Bcopy only. */
    public static final int BUFFERED = 0;

    /** Mode: one SrcAvail at a time, with payload. Both halves start here. */
    public static final int COMBINED = 1;

    /** Mode: many SrcAvails and SinkAvails. */
    public static final int PIPELINED = 2;

    private Mch() {}

    /** Whether the receiver of the message is to change its send half. */
    public static boolean sendHalf(MemorySegment m, long at) {
        return m.get(Wire.BYTE, at) < 0;
    }

    /** The new mode, 0..7; above {@link #PIPELINED} is reserved. */
    public static int mode(MemorySegment m, long at) {
        return (m.get(Wire.BYTE, at) >> 4) & 7;
    }
}
