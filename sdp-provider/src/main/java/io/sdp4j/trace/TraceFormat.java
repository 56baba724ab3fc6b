package io.sdp4j.trace;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The layout of a trace file.
 *
 * <p>Shape: little-endian; messages inside as they were on the wire.
 *
 * {@snippet lang = text :
 *  0      header, 4096 bytes
 *         0 magic | 8 version | 12 cell bytes | 16 cells | 20 entries | 24 start, ns since 1970
 *         | 32 process | 40 payload bytes kept of each message
 *  4096   entries, 256 bytes each: the connections; number n lies at (n - 1) mod entries
 *         0 number, 0 = none | 4 check | 8 time of Hello | 16 time of HelloAck | 24 connecting
 *         | 26 local port | 28 remote port | 30 Hello bytes kept | 31 HelloAck bytes kept
 *         | 32 local address | 48 remote address | 64 fabric | 80 Hello | 176 HelloAck
 *  then   cells, of equal size: what happened; number n lies at (n - 1) mod cells
 *         0 number, 0 = none, negative = not whole yet | 8 time | 16 connection | 20 bytes on the wire | 24 bytes kept
 *         | 26 kind | 27 1 = received | 28 check | 32 bytes kept
 * }
 *
 * Times are nanoseconds since the start. A number is stored last, and {@code check} covers the
 * rest: a reader can tell a cell that was half written when the process or the machine stopped.
 */
final class TraceFormat {
    static final long MAGIC = 0x4352_544A_3450_4453L; // "SDP4JTRC" in the file
    static final int VERSION = 1;

    static final int HEADER_BYTES = 4096;
    static final int H_VERSION = 8;
    static final int H_CELL_BYTES = 12;
    static final int H_CELLS = 16;
    static final int H_ENTRIES = 20;
    static final int H_START = 24;
    static final int H_PROCESS = 32;
    static final int H_PAYLOAD_BYTES = 40;

    static final int ENTRY_BYTES = 256;
    static final int E_CHECK = 4;
    static final int E_HELLO_NANOS = 8;
    static final int E_ACK_NANOS = 16;
    static final int E_CONNECTING = 24;
    static final int E_LOCAL_PORT = 26;
    static final int E_REMOTE_PORT = 28;
    static final int E_HELLO_KEPT = 30;
    static final int E_ACK_KEPT = 31;
    static final int E_LOCAL = 32;
    static final int E_REMOTE = 48;
    static final int E_FABRIC = 64;
    static final int E_HELLO = 80;
    static final int E_ACK = 176;
    static final int ADDRESS_BYTES = 16;
    static final int FABRIC_BYTES = 16;

    /** Room of a Hello in the InfiniBand form, which no build writes any more. */
    static final int HELLO_BYTES = 92;

    /** All of a HelloAck that is not reserved. */
    static final int ACK_BYTES = 28;

    static final int C_NANOS = 8;
    static final int C_CONNECTION = 16;
    static final int C_BYTES = 20;
    static final int C_KEPT = 24;
    static final int C_KIND = 26;
    static final int C_RECEIVED = 27;
    static final int C_CHECK = 28;
    static final int C_DATA = 32;

    /** Header bytes that any cell has room for. */
    static final int MESSAGE_HEADER_BYTES = 36;

    /** Most payload bytes kept of a message. */
    static final int MAX_PAYLOAD_BYTES = 4096;

    /** Most bytes of a file. */
    static final long MAX_FILE_BYTES = 1L << 30;

    /** One part in this many of the bytes of a file is for entries. */
    static final int ENTRIES_SHARE = 16;

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** For numbers of cells: in one piece, because other processes may look at them meanwhile. */
    private static final ValueLayout.OfLong ALIGNED_LONG =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final VarHandle NUMBER = ALIGNED_LONG.varHandle();

    private TraceFormat() {}

    /** Size of a cell whose messages keep that many payload bytes; a multiple of 8. */
    static int cellBytes(int payloadBytes) {
        return (C_DATA + MESSAGE_HEADER_BYTES + payloadBytes + 7) & ~7;
    }

    static int getByte(MemorySegment m, long at) {
        return m.get(BYTE, at) & 0xFF;
    }

    static int getShort(MemorySegment m, long at) {
        return m.get(SHORT, at) & 0xFFFF;
    }

    static int getInt(MemorySegment m, long at) {
        return m.get(INT, at);
    }

    static long getLong(MemorySegment m, long at) {
        return m.get(LONG, at);
    }

    static void putByte(MemorySegment m, long at, int value) {
        m.set(BYTE, at, (byte) value);
    }

    static void putShort(MemorySegment m, long at, int value) {
        m.set(SHORT, at, (short) value);
    }

    static void putInt(MemorySegment m, long at, int value) {
        m.set(INT, at, value);
    }

    static void putLong(MemorySegment m, long at, long value) {
        m.set(LONG, at, value);
    }

    /**
     * Takes the cell at {@code at} for a number, unless it is being written or holds a later one.
     */
    static boolean claim(MemorySegment m, long at, long number) {
        long there = (long) NUMBER.getVolatile(m, at);
        return there >= 0 && there < number && NUMBER.compareAndSet(m, at, there, -number);
    }

    /** Stores the number of a cell, in mapped memory, after all that was stored before. */
    static void putNumber(MemorySegment m, long at, long number) {
        VarHandle.releaseFence();
        m.set(ALIGNED_LONG, at, number);
        VarHandle.storeStoreFence();
    }

    /** Check of the cell at {@code at}, of which {@code kept} bytes of data count. */
    static int cellCheck(MemorySegment m, long at, long number, int kept) {
        long h = mix(number, getLong(m, at + C_NANOS));
        h = mix(h, getLong(m, at + C_CONNECTION));
        h = mix(h, getInt(m, at + C_KEPT));
        for (int i = 0; i < kept; i += Long.BYTES) {
            h = mix(h, getLong(m, at + C_DATA + i));
        }
        return fold(h);
    }

    /** Check of the entry at {@code at}. */
    static int entryCheck(MemorySegment m, long at, int number) {
        long h = number;
        for (int i = E_HELLO_NANOS; i < ENTRY_BYTES; i += Long.BYTES) {
            h = mix(h, getLong(m, at + i));
        }
        return fold(h);
    }

    private static long mix(long h, long word) {
        long x = (h ^ word) * 0x9E37_79B9_7F4A_7C15L;
        return x ^ (x >>> 29);
    }

    private static int fold(long h) {
        return (int) (h ^ (h >>> 32));
    }
}
