package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import jdk.internal.misc.Unsafe;

/**
 * Loads and stores of aligned words in mapped memory, and copies of arrays. The caller guarantees
 * that the memory is mapped and that offsets lie in it; a page of a file that was cut off is an
 * {@code InternalError}.
 *
 * <p>Shape: the JDK's own {@code Unsafe}, where it is exported to this module, as the agent sees
 * to; else handles of memory segments. Compiled, both are one instruction. But the interpreter
 * needs ten times as long for a handle, and each one that is inlined is some twenty methods for the
 * compiler, in the first seconds of a JVM, when processors are scarce
 * (docs/decisions/0013-plain-words-of-shared-memory.md).
 *
 * <p>Only loads and stores, never compare-and-set: on a file that a peer truncates that would end
 * the JVM.
 */
public final class MappedMemory {
    private static final boolean PLAIN =
            Object.class
                    .getModule()
                    .isExported("jdk.internal.misc", MappedMemory.class.getModule());

    private static final VarHandle LONG = JAVA_LONG.varHandle();
    private static final VarHandle INT = JAVA_INT.varHandle();

    private final MemorySegment mem;
    private final long base;

    /**
     * @param mem native memory
     */
    public MappedMemory(MemorySegment mem) {
        this.mem = mem;
        base = mem.address();
    }

    /** Loaded where it may be used. */
    private static final class Plain {
        static final Unsafe UNSAFE = Unsafe.getUnsafe();
    }

    /** The address of an offset. */
    public long address(long offset) {
        return base + offset;
    }

    /** Copies a part of an array; all offsets are checked. */
    public void copyIn(byte[] from, int offset, long to, int lenBytes) {
        if (PLAIN) {
            Objects.checkFromIndexSize(offset, lenBytes, from.length);
            Objects.checkFromIndexSize(to, lenBytes, mem.byteSize());
            long at = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            Plain.UNSAFE.copyMemory(from, at, null, base + to, lenBytes);
        } else {
            MemorySegment.copy(from, offset, mem, JAVA_BYTE, to, lenBytes);
        }
    }

    /** Copies into a part of an array; all offsets are checked. */
    public void copyOut(long from, byte[] to, int offset, int lenBytes) {
        if (PLAIN) {
            Objects.checkFromIndexSize(offset, lenBytes, to.length);
            Objects.checkFromIndexSize(from, lenBytes, mem.byteSize());
            long at = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            Plain.UNSAFE.copyMemory(null, base + from, to, at, lenBytes);
        } else {
            MemorySegment.copy(mem, JAVA_BYTE, from, to, offset, lenBytes);
        }
    }

    /** As {@link VarHandle#getAcquire}. */
    public long getLongAcquire(long at) {
        return PLAIN
                ? Plain.UNSAFE.getLongAcquire(null, base + at)
                : (long) LONG.getAcquire(mem, at);
    }

    /** As {@link VarHandle#getOpaque}. */
    public long getLongOpaque(long at) {
        return PLAIN ? Plain.UNSAFE.getLongOpaque(null, base + at) : (long) LONG.getOpaque(mem, at);
    }

    /** As {@link VarHandle#setRelease}. */
    public void putLongRelease(long at, long value) {
        if (PLAIN) {
            Plain.UNSAFE.putLongRelease(null, base + at, value);
        } else {
            LONG.setRelease(mem, at, value);
        }
    }

    /** As {@link VarHandle#setOpaque}. */
    public void putLongOpaque(long at, long value) {
        if (PLAIN) {
            Plain.UNSAFE.putLongOpaque(null, base + at, value);
        } else {
            LONG.setOpaque(mem, at, value);
        }
    }

    /** As {@link VarHandle#getAcquire}. */
    public int getIntAcquire(long at) {
        return PLAIN ? Plain.UNSAFE.getIntAcquire(null, base + at) : (int) INT.getAcquire(mem, at);
    }

    /** As {@link VarHandle#getOpaque}. */
    public int getIntOpaque(long at) {
        return PLAIN ? Plain.UNSAFE.getIntOpaque(null, base + at) : (int) INT.getOpaque(mem, at);
    }

    /** As {@link VarHandle#setRelease}. */
    public void putIntRelease(long at, int value) {
        if (PLAIN) {
            Plain.UNSAFE.putIntRelease(null, base + at, value);
        } else {
            INT.setRelease(mem, at, value);
        }
    }

    /** As {@link VarHandle#setOpaque}. */
    public void putIntOpaque(long at, int value) {
        if (PLAIN) {
            Plain.UNSAFE.putIntOpaque(null, base + at, value);
        } else {
            INT.setOpaque(mem, at, value);
        }
    }

    /** As {@link VarHandle#setVolatile}. */
    public void putIntVolatile(long at, int value) {
        if (PLAIN) {
            Plain.UNSAFE.putIntVolatile(null, base + at, value);
        } else {
            INT.setVolatile(mem, at, value);
        }
    }
}
