package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The first message of the connecting peer; {@code at} is where its BSDH starts. We speak the short
 * form; the InfiniBand form is only written, for tools that know no other.
 *
 * <p>Shape, offsets from the BSDH:
 *
 * {@snippet lang = text :
 *  SHORT, 32 bytes: 16 version, 17 reserved, 18 MaxAdverts (16 bit),
 *                   20 DesRemRcvSz, 24 LocalRcvSz, 28 LocORD, 30 LocIRD
 *  IB, 92 bytes:    16 version, 17 IPV (high nibble), 18 reserved, 19 MaxAdverts (8 bit),
 *                   20 DesRemRcvSz, 24 LocalRcvSz, 28 port, 32 source, 48 destination
 * }
 *
 * Sizes include the BSDH. IPv4 addresses are the last four bytes of the sixteen.
 *
 * <p>Errors: {@link #check} names the first fault and never throws; the readers assume a checked
 * message.
 *
 * <p>Source: docs/protocol.md 2.4, 2.6 and 3.3; vectors V03 and V07.
 */
public final class Hello {
    /** Size of the short form. */
    public static final int SHORT_BYTES = 32;

    /** Size of the InfiniBand form. */
    public static final int IB_BYTES = 92;

    /** Version byte of the short form: 1.1. */
    public static final int SHORT_VERSION = 0x11;

    /** Version byte of the InfiniBand form: 2.2. */
    static final int IB_VERSION = 0x22;

    private Hello() {}

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
            int desiredBytes,
            int receiveBytes,
            int ord,
            int ird) {
        Bsdh.write(m, at, Mid.HELLO, 0, bufs, SHORT_BYTES, 0, 0);
        Wire.putByte(m, at + 16, (byte) SHORT_VERSION);
        Wire.putByte(m, at + 17, (byte) 0);
        Wire.putShort(m, at + 18, (short) maxAdverts);
        Wire.putInt(m, at + 20, desiredBytes);
        Wire.putInt(m, at + 24, receiveBytes);
        Wire.putShort(m, at + 28, (short) ord);
        Wire.putShort(m, at + 30, (short) ird);
        return SHORT_BYTES;
    }

    /**
     * Writes the InfiniBand form; MaxAdverts above 255 becomes 255.
     *
     * @return bytes written
     */
    public static int writeIb(
            MemorySegment m,
            long at,
            int ipVersion,
            int bufs,
            int maxAdverts,
            int desiredBytes,
            int receiveBytes,
            int port,
            long srcHigh,
            long srcLow,
            long dstHigh,
            long dstLow) {
        Bsdh.write(m, at, Mid.HELLO, 0, bufs, IB_BYTES, 0, 0);
        Wire.putByte(m, at + 16, (byte) IB_VERSION);
        Wire.putByte(m, at + 17, (byte) (ipVersion << 4));
        Wire.putByte(m, at + 18, (byte) 0);
        Wire.putByte(m, at + 19, (byte) Math.min(maxAdverts, 255));
        Wire.putInt(m, at + 20, desiredBytes);
        Wire.putInt(m, at + 24, receiveBytes);
        Wire.putShort(m, at + 28, (short) port);
        Wire.putShort(m, at + 30, (short) 0);
        Wire.putLong(m, at + 32, srcHigh);
        Wire.putLong(m, at + 40, srcLow);
        Wire.putLong(m, at + 48, dstHigh);
        Wire.putLong(m, at + 56, dstLow);
        Wire.putInt(m, at + 64, 0);
        Wire.putLong(m, at + 68, 0);
        Wire.putLong(m, at + 76, 0);
        Wire.putLong(m, at + 84, 0);
        return IB_BYTES;
    }

    /**
     * The first fault of a Hello in {@code availableBytes} bytes, in the order of docs/protocol.md
     * 3.3. Bytes behind Len are padding.
     */
    public static HelloFault check(MemorySegment m, long at, int availableBytes) {
        return check(m, at, availableBytes, Mid.HELLO, SHORT_BYTES, 24);
    }

    /**
     * The first fault of a Hello or HelloAck.
     *
     * @param sizeAt offset of the size of the receive buffers; LocORD and LocIRD follow it
     */
    static HelloFault check(
            MemorySegment m, long at, int availableBytes, int mid, int shortBytes, int sizeAt) {
        if (availableBytes < Bsdh.BYTES) {
            return HelloFault.SHORT;
        }
        long first = Wire.getLong(m, at);
        if (Integer.compareUnsigned(Bsdh.len(first), availableBytes) > 0) {
            return HelloFault.SHORT;
        }
        if (Bsdh.mid(first) != mid) {
            return HelloFault.WRONG_MID;
        }
        if (Bsdh.len(first) != shortBytes) {
            return HelloFault.BAD_LENGTH;
        }
        if (majorVersion(m, at) != 1) {
            return HelloFault.BAD_VERSION;
        }
        if (maxAdverts(m, at) == 0) {
            return HelloFault.NO_ADVERTS;
        }
        if (Wire.getShort(m, at + sizeAt + 4) == 0 || Wire.getShort(m, at + sizeAt + 6) == 0) {
            return HelloFault.NO_READ_DEPTH;
        }
        return receiveSizeLegal(Wire.getInt(m, at + sizeAt))
                ? HelloFault.NONE
                : HelloFault.BAD_RECEIVE_SIZE;
    }

    /** Whether {@code bytes}, unsigned, can be the size of a peer's receive buffers. */
    static boolean receiveSizeLegal(int bytes) {
        return Integer.compareUnsigned(bytes, WireConfig.MIN_RECEIVE_BYTES) >= 0
                && Integer.compareUnsigned(bytes, 1 << 31) <= 0;
    }

    /** Major version, 0..15. */
    public static int majorVersion(MemorySegment m, long at) {
        return (Wire.getByte(m, at + 16) >> 4) & 0xF;
    }

    /** Minor version, 0..15. */
    public static int minorVersion(MemorySegment m, long at) {
        return Wire.getByte(m, at + 16) & 0xF;
    }

    /** Advertisements the peer keeps track of. */
    public static int maxAdverts(MemorySegment m, long at) {
        return Wire.getShort(m, at + 18) & 0xFFFF;
    }

    /** The size that the peer wishes our receive buffers to have, unsigned; a hint. */
    public static int desiredBytes(MemorySegment m, long at) {
        return Wire.getInt(m, at + 20);
    }

    /** Size of the peer's receive buffers, unsigned. */
    public static int receiveBytes(MemorySegment m, long at) {
        return Wire.getInt(m, at + 24);
    }

    /** RDMA reads the peer issues at a time. */
    public static int ord(MemorySegment m, long at) {
        return Wire.getShort(m, at + 28) & 0xFFFF;
    }

    /** RDMA reads the peer serves at a time. */
    public static int ird(MemorySegment m, long at) {
        return Wire.getShort(m, at + 30) & 0xFFFF;
    }
}
