package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;

/**
 * The one message format of the iWARP port mapper (UDP, port 3935 by default).
 *
 * <p>Shape: 48 bytes from {@code at}.
 *
 * {@snippet lang = text :
 *  0 version (2 bits, 0), type (2 bits), IP version (4 bits); 1 PmTime; 2 reserved;
 *  4 ApPort; 6 CpPort; 8 AssocHandle; 16 CpIPAddr; 32 ApIPAddr
 * }
 *
 * IPv4 addresses are the <em>first</em> four bytes of the sixteen, unlike in {@link Hello}.
 *
 * <p>Source: docs/protocol.md 3.7; vector V21.
 */
public final class PortMap {
    /** Size of the message. */
    public static final int BYTES = 48;

    /** Default UDP port. */
    public static final int PORT = 3935;

    /** Type: asks where the SDP listener of a port is. */
    public static final int REQUEST = 0;

    /** Type: here. */
    public static final int ACCEPT = 1;

    /** Type: the answer arrived. */
    public static final int ACK = 2;

    /** Type: nowhere. */
    public static final int DENY = 3;

    private PortMap() {}

    /** Whether {@code availableBytes} bytes hold a message of version 0 with IPv4 or IPv6. */
    public static boolean legal(MemorySegment m, long at, int availableBytes) {
        return availableBytes >= BYTES
                && (m.get(Wire.BYTE, at) & 0xC0) == 0
                && (ipVersion(m, at) == 4 || ipVersion(m, at) == 6);
    }

    /** Message type, one of the four above. */
    public static int type(MemorySegment m, long at) {
        return (m.get(Wire.BYTE, at) >> 4) & 3;
    }

    /** IP version, 4 or 6. */
    public static int ipVersion(MemorySegment m, long at) {
        return m.get(Wire.BYTE, at) & 0xF;
    }

    /** How long the answer may be kept, coded. */
    public static int pmTime(MemorySegment m, long at) {
        return m.get(Wire.BYTE, at + 1) & 0xFF;
    }

    /** The same in milliseconds: 0 for single use, {@link Long#MAX_VALUE} for ever. */
    public static long cacheMillis(MemorySegment m, long at) {
        int time = pmTime(m, at);
        if (time == 255) {
            return Long.MAX_VALUE;
        }
        return time < 128 ? time * 250L : time * 1000L;
    }

    /** Port of the accepting peer; its meaning depends on the type. */
    public static int apPort(MemorySegment m, long at) {
        return m.get(Wire.SHORT, at + 4) & 0xFFFF;
    }

    /** TCP port of the connecting peer. */
    public static int cpPort(MemorySegment m, long at) {
        return m.get(Wire.SHORT, at + 6) & 0xFFFF;
    }

    /** Random number that ties answers to a request. */
    public static long assocHandle(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 8);
    }

    /** Connecting peer's address, bytes 0 to 7. */
    public static long cpHigh(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 16);
    }

    /** Connecting peer's address, bytes 8 to 15. */
    public static long cpLow(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 24);
    }

    /** Accepting peer's address, bytes 0 to 7. */
    public static long apHigh(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 32);
    }

    /** Accepting peer's address, bytes 8 to 15. */
    public static long apLow(MemorySegment m, long at) {
        return m.get(Wire.LONG, at + 40);
    }

    /**
     * Writes a message.
     *
     * @return bytes written
     */
    public static int write(
            MemorySegment m,
            long at,
            int type,
            int ipVersion,
            int pmTime,
            int apPort,
            int cpPort,
            long assocHandle,
            long cpHigh,
            long cpLow,
            long apHigh,
            long apLow) {
        m.set(Wire.BYTE, at, (byte) ((type << 4) | ipVersion));
        m.set(Wire.BYTE, at + 1, (byte) pmTime);
        m.set(Wire.SHORT, at + 2, (short) 0);
        m.set(Wire.SHORT, at + 4, (short) apPort);
        m.set(Wire.SHORT, at + 6, (short) cpPort);
        m.set(Wire.LONG, at + 8, assocHandle);
        m.set(Wire.LONG, at + 16, cpHigh);
        m.set(Wire.LONG, at + 24, cpLow);
        m.set(Wire.LONG, at + 32, apHigh);
        m.set(Wire.LONG, at + 40, apLow);
        return BYTES;
    }
}
