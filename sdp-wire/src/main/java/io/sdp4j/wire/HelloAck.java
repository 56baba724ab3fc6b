package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The answer to {@link Hello}; {@code at} is where its BSDH starts. We speak the short form; the
 * InfiniBand form is only written, for tools that know no other.
 *
 * <p>Shape, offsets from the BSDH:
 *
 * {@snippet lang = text :
 *  SHORT, 28 bytes: 16 version, 17 reserved, 18 MaxAdverts (16 bit), 20 ActRcvSz,
 *                   24 LocORD, 26 LocIRD
 *  IB, 196 bytes:   16 version, 17 reserved, 19 MaxAdverts (8 bit), 20 ActRcvSz,
 *                   24 to 195 reserved
 * }
 *
 * <p>Errors: {@link #check} names the first fault and never throws; the readers assume a checked
 * message.
 *
 * <p>Source: docs/protocol.md 2.5, 2.6 and 3.4; vectors V04 and V08.
 */
public final class HelloAck {
    /** Size of the short form. */
    public static final int SHORT_BYTES = 28;

    /** Size of the InfiniBand form: all that a CM REP can carry. */
    public static final int IB_BYTES = 196;

    private HelloAck() {}

    /**
     * Writes the short form.
     *
     * @return bytes written
     */
    public static int writeShort(
            MemorySegment m,
            long at,
            int bufs,
            int maxAdverts,
            int receiveBytes,
            int ord,
            int ird) {
        Bsdh.write(m, at, Mid.HELLO_ACK, 0, bufs, SHORT_BYTES, 0, 0);
        Wire.putByte(m, at + 16, (byte) Hello.SHORT_VERSION);
        Wire.putByte(m, at + 17, (byte) 0);
        Wire.putShort(m, at + 18, (short) maxAdverts);
        Wire.putInt(m, at + 20, receiveBytes);
        Wire.putShort(m, at + 24, (short) ord);
        Wire.putShort(m, at + 26, (short) ird);
        return SHORT_BYTES;
    }

    /**
     * Writes the InfiniBand form; MaxAdverts above 255 becomes 255 (docs/protocol.md 2.5).
     *
     * @return bytes written
     */
    public static int writeIb(
            MemorySegment m, long at, int bufs, int maxAdverts, int receiveBytes) {
        Bsdh.write(m, at, Mid.HELLO_ACK, 0, bufs, IB_BYTES, 0, 0);
        for (int i = Bsdh.BYTES; i < IB_BYTES; i += 4) {
            Wire.putInt(m, at + i, 0);
        }
        Wire.putByte(m, at + 16, (byte) Hello.IB_VERSION);
        Wire.putByte(m, at + 19, (byte) Math.min(maxAdverts, 255));
        Wire.putInt(m, at + 20, receiveBytes);
        return IB_BYTES;
    }

    /** The first fault of a HelloAck in {@code availableBytes} bytes (docs/protocol.md 3.4). */
    public static HelloFault check(MemorySegment m, long at, int availableBytes) {
        return Hello.check(m, at, availableBytes, Mid.HELLO_ACK, SHORT_BYTES, 20);
    }

    /** Advertisements the peer keeps track of. */
    public static int maxAdverts(MemorySegment m, long at) {
        return Wire.getShort(m, at + 18) & 0xFFFF;
    }

    /** Size of the peer's receive buffers, BSDH included, unsigned. */
    public static int receiveBytes(MemorySegment m, long at) {
        return Wire.getInt(m, at + 20);
    }

    /** RDMA reads the peer issues at a time. */
    public static int ord(MemorySegment m, long at) {
        return Wire.getShort(m, at + 24) & 0xFFFF;
    }

    /** RDMA reads the peer serves at a time. */
    public static int ird(MemorySegment m, long at) {
        return Wire.getShort(m, at + 26) & 0xFFFF;
    }
}
