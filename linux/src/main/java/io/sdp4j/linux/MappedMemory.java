package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import jdk.internal.misc.Unsafe;

/**
 * Loads and stores of aligned words in mapped memory, and copies of arrays, by address. The caller
 * guarantees that the memory is mapped; a page of a file that was cut off is an {@code
 * InternalError}.
 *
 * <p>Shape: the JDK's own {@code Unsafe}, where it is exported to this module, as the agent sees
 * to; else handles of memory segments. Compiled, both are one instruction. But the interpreter
 * needs ten times as long for a handle, and each one that is inlined is some twenty methods for the
 * compiler, in the first seconds of a JVM, when processors are scarce.
 *
 * <p>Only loads and stores, never compare-and-set: on a file that a peer truncates that would end
 * the JVM.
 */
public final class MappedMemory {
    private static final boolean PLAIN =
            Object.class
                    .getModule()
                    .isExported("jdk.internal.misc", MappedMemory.class.getModule());

    private MappedMemory() {}

    /** Loaded where it may be used. */
    private static final class Plain {
        static final Unsafe UNSAFE = Unsafe.getUnsafe();
    }

    /** All of memory. */
    private static final class Handles {
        @SuppressWarnings("restricted")
        static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

        static final VarHandle LONG = JAVA_LONG.varHandle();
        static final VarHandle INT = JAVA_INT.varHandle();
    }

    /** Whether the fast way is in use. */
    public static boolean plain() {
        return PLAIN;
    }

    /** One byte. */
    public static byte getByte(long address) {
        return PLAIN ? Plain.UNSAFE.getByte(address) : Handles.ALL.get(JAVA_BYTE, address);
    }

    /** Copies a part of an array. */
    public static void copyIn(byte[] from, int offset, long address, int lenBytes) {
        Objects.checkFromIndexSize(offset, lenBytes, from.length);
        if (PLAIN) {
            long at = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            Plain.UNSAFE.copyMemory(from, at, null, address, lenBytes);
        } else {
            MemorySegment.copy(from, offset, Handles.ALL, JAVA_BYTE, address, lenBytes);
        }
    }

    /** Copies into a part of an array. */
    public static void copyOut(long address, byte[] to, int offset, int lenBytes) {
        Objects.checkFromIndexSize(offset, lenBytes, to.length);
        if (PLAIN) {
            long at = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            Plain.UNSAFE.copyMemory(null, address, to, at, lenBytes);
        } else {
            MemorySegment.copy(Handles.ALL, JAVA_BYTE, address, to, offset, lenBytes);
        }
    }

    /** As {@link VarHandle#getAcquire}. */
    public static long getLongAcquire(long address) {
        return PLAIN
                ? Plain.UNSAFE.getLongAcquire(null, address)
                : (long) Handles.LONG.getAcquire(Handles.ALL, address);
    }

    /** As {@link VarHandle#getOpaque}. */
    public static long getLongOpaque(long address) {
        return PLAIN
                ? Plain.UNSAFE.getLongOpaque(null, address)
                : (long) Handles.LONG.getOpaque(Handles.ALL, address);
    }

    /** As {@link VarHandle#setRelease}. */
    public static void putLongRelease(long address, long value) {
        if (PLAIN) {
            Plain.UNSAFE.putLongRelease(null, address, value);
        } else {
            Handles.LONG.setRelease(Handles.ALL, address, value);
        }
    }

    /** As {@link VarHandle#setOpaque}. */
    public static void putLongOpaque(long address, long value) {
        if (PLAIN) {
            Plain.UNSAFE.putLongOpaque(null, address, value);
        } else {
            Handles.LONG.setOpaque(Handles.ALL, address, value);
        }
    }

    /** As {@link VarHandle#getAcquire}. */
    public static int getIntAcquire(long address) {
        return PLAIN
                ? Plain.UNSAFE.getIntAcquire(null, address)
                : (int) Handles.INT.getAcquire(Handles.ALL, address);
    }

    /** As {@link VarHandle#getOpaque}. */
    public static int getIntOpaque(long address) {
        return PLAIN
                ? Plain.UNSAFE.getIntOpaque(null, address)
                : (int) Handles.INT.getOpaque(Handles.ALL, address);
    }

    /** As {@link VarHandle#setRelease}. */
    public static void putIntRelease(long address, int value) {
        if (PLAIN) {
            Plain.UNSAFE.putIntRelease(null, address, value);
        } else {
            Handles.INT.setRelease(Handles.ALL, address, value);
        }
    }

    /** As {@link VarHandle#setOpaque}. */
    public static void putIntOpaque(long address, int value) {
        if (PLAIN) {
            Plain.UNSAFE.putIntOpaque(null, address, value);
        } else {
            Handles.INT.setOpaque(Handles.ALL, address, value);
        }
    }

    /** As {@link VarHandle#setVolatile}. */
    public static void putIntVolatile(long address, int value) {
        if (PLAIN) {
            Plain.UNSAFE.putIntVolatile(null, address, value);
        } else {
            Handles.INT.setVolatile(Handles.ALL, address, value);
        }
    }
}
