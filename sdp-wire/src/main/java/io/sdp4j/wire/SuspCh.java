package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * Header of SuspComm: where the peer must reconnect to.
 *
 * <p>Shape: a 64-bit service id behind the BSDH, at {@code at}: 0x000000000001 and the port.
 *
 * <p>Source: docs/protocol.md 2.11; vector V18.
 */
public final class SuspCh {
    /** Size of the header. */
    public static final int BYTES = 8;

    private static final long PREFIX = 0x0000_0000_0001_0000L;

    private SuspCh() {}

    /** Whether the service id is one of SDP's. */
    public static boolean legal(MemorySegment m, long at) {
        return (m.get(Wire.LONG, at) & ~0xFFFFL) == PREFIX;
    }

    /** Port, 0..65,535. */
    public static int port(MemorySegment m, long at) {
        return m.get(Wire.SHORT, at + 6) & 0xFFFF;
    }

    /** Writes the header. */
    public static void write(MemorySegment m, long at, int port) {
        m.set(Wire.LONG, at, PREFIX | (port & 0xFFFFL));
    }
}
