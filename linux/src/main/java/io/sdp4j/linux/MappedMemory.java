package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import jdk.internal.misc.Unsafe;

/**
 * Loads and stores aligned words in mapped memory, and copies arrays. The caller guarantees that
 * the words lie in the memory and that it is mapped. Thread-safe.
 *
 * <p>Shape: accesses use the JDK's {@code Unsafe} if the agent exports it to this module, else
 * handles of memory segments. When compiled, both are one instruction. But the interpreter needs
 * ten times as long for a handle, and each inlined handle costs the compiler some twenty methods in
 * the first seconds of a JVM, when processors are scarce. Memory of an arena that can be closed
 * always uses the handles, which check whether it was closed. A process usually loads one of the
 * two classes only, so the compiler makes direct calls. The names of the access modes are those of
 * {@link VarHandle}.
 */
public abstract class MappedMemory {
    private static final boolean EXPORTED = NativeAccess.unsafeExported();

    private final MemorySegment segment;

    private MappedMemory(MemorySegment segment) {
        this.segment = segment;
    }

    /** Returns the fastest safe access to the memory of {@code segment}. */
    public static MappedMemory of(MemorySegment segment) {
        boolean endless = segment.isNative() && segment.scope().equals(Arena.global().scope());
        return EXPORTED && endless ? new Plain(segment) : new Checked(segment);
    }

    /** The whole memory. */
    public final MemorySegment segment() {
        return segment;
    }

    /** Copies a part of an array. */
    public abstract void copyIn(byte[] from, int offset, long to, int lenBytes);

    /** Copies into a part of an array. */
    public abstract void copyOut(long from, byte[] to, int offset, int lenBytes);

    public abstract long getLongAcquire(long at);

    public abstract long getLongOpaque(long at);

    public abstract void putLongRelease(long at, long value);

    /** Stores two longs, one behind the other. */
    public abstract void putLongsOpaque(long at, long first, long second);

    public abstract int getIntAcquire(long at);

    public abstract int getIntOpaque(long at);

    public abstract void putIntRelease(long at, int value);

    public abstract void putIntOpaque(long at, int value);

    public abstract void putIntVolatile(long at, int value);

    /** Accesses by address; only copies are checked. */
    static final class Plain extends MappedMemory {
        private static final Unsafe UNSAFE = Unsafe.getUnsafe();

        private final long base;
        private final long bytes;

        private Plain(MemorySegment segment) {
            super(segment);
            base = segment.address();
            bytes = segment.byteSize();
        }

        @Override
        public void copyIn(byte[] from, int offset, long to, int lenBytes) {
            Objects.checkFromIndexSize(offset, lenBytes, from.length);
            Objects.checkFromIndexSize(to, lenBytes, bytes);
            long at = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            UNSAFE.copyMemory(from, at, null, base + to, lenBytes);
        }

        @Override
        public void copyOut(long from, byte[] to, int offset, int lenBytes) {
            Objects.checkFromIndexSize(offset, lenBytes, to.length);
            Objects.checkFromIndexSize(from, lenBytes, bytes);
            long at = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            UNSAFE.copyMemory(null, base + from, to, at, lenBytes);
        }

        @Override
        public long getLongAcquire(long at) {
            return UNSAFE.getLongAcquire(null, base + at);
        }

        @Override
        public long getLongOpaque(long at) {
            return UNSAFE.getLongOpaque(null, base + at);
        }

        @Override
        public void putLongRelease(long at, long value) {
            UNSAFE.putLongRelease(null, base + at, value);
        }

        @Override
        public void putLongsOpaque(long at, long first, long second) {
            UNSAFE.putLongOpaque(null, base + at, first);
            UNSAFE.putLongOpaque(null, base + at + Long.BYTES, second);
        }

        @Override
        public int getIntAcquire(long at) {
            return UNSAFE.getIntAcquire(null, base + at);
        }

        @Override
        public int getIntOpaque(long at) {
            return UNSAFE.getIntOpaque(null, base + at);
        }

        @Override
        public void putIntRelease(long at, int value) {
            UNSAFE.putIntRelease(null, base + at, value);
        }

        @Override
        public void putIntOpaque(long at, int value) {
            UNSAFE.putIntOpaque(null, base + at, value);
        }

        @Override
        public void putIntVolatile(long at, int value) {
            UNSAFE.putIntVolatile(null, base + at, value);
        }
    }

    /** Accesses by handles. */
    static final class Checked extends MappedMemory {
        private static final VarHandle LONG = JAVA_LONG.varHandle();
        private static final VarHandle INT = JAVA_INT.varHandle();

        private final MemorySegment mem;

        Checked(MemorySegment segment) {
            super(segment);
            mem = segment;
        }

        @Override
        public void copyIn(byte[] from, int offset, long to, int lenBytes) {
            MemorySegment.copy(from, offset, mem, JAVA_BYTE, to, lenBytes);
        }

        @Override
        public void copyOut(long from, byte[] to, int offset, int lenBytes) {
            MemorySegment.copy(mem, JAVA_BYTE, from, to, offset, lenBytes);
        }

        @Override
        public long getLongAcquire(long at) {
            return (long) LONG.getAcquire(mem, at);
        }

        @Override
        public long getLongOpaque(long at) {
            return (long) LONG.getOpaque(mem, at);
        }

        @Override
        public void putLongRelease(long at, long value) {
            LONG.setRelease(mem, at, value);
        }

        @Override
        public void putLongsOpaque(long at, long first, long second) {
            LONG.setOpaque(mem, at, first);
            LONG.setOpaque(mem, at + Long.BYTES, second);
        }

        @Override
        public int getIntAcquire(long at) {
            return (int) INT.getAcquire(mem, at);
        }

        @Override
        public int getIntOpaque(long at) {
            return (int) INT.getOpaque(mem, at);
        }

        @Override
        public void putIntRelease(long at, int value) {
            INT.setRelease(mem, at, value);
        }

        @Override
        public void putIntOpaque(long at, int value) {
            INT.setOpaque(mem, at, value);
        }

        @Override
        public void putIntVolatile(long at, int value) {
            INT.setVolatile(mem, at, value);
        }
    }
}
