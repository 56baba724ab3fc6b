package io.sdp4j.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** How the protocol spells numbers: big-endian, at any alignment (docs/protocol.md 2). */
final class Wire {
    static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfInt INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Wire() {}

    // For set-up: a layout's handle costs a JVM ten milliseconds at its first use, a buffer none.

    static byte getByte(MemorySegment m, long at) {
        return m.asByteBuffer().get((int) at);
    }

    static short getShort(MemorySegment m, long at) {
        return m.asByteBuffer().getShort((int) at);
    }

    static int getInt(MemorySegment m, long at) {
        return m.asByteBuffer().getInt((int) at);
    }

    static long getLong(MemorySegment m, long at) {
        return m.asByteBuffer().getLong((int) at);
    }

    static void putByte(MemorySegment m, long at, byte value) {
        m.asByteBuffer().put((int) at, value);
    }

    static void putShort(MemorySegment m, long at, short value) {
        m.asByteBuffer().putShort((int) at, value);
    }

    static void putInt(MemorySegment m, long at, int value) {
        m.asByteBuffer().putInt((int) at, value);
    }

    static void putLong(MemorySegment m, long at, long value) {
        m.asByteBuffer().putLong((int) at, value);
    }
}
