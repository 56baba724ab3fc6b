package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import jdk.internal.misc.Unsafe;

/**
 * Native memory for the arguments and results of system calls: zero at first and aligned for all of
 * them. Offsets are in bytes, and checked; words are aligned and in the processor's order.
 *
 * <p>Shape: the JDK's own {@code Unsafe} where the agent exports it to this module, else a memory
 * segment, as in {@link MappedMemory}, whose accesses make much work for the compilers of a young
 * JVM.
 *
 * <p>Not thread-safe.
 */
abstract class SyscallBuffer implements AutoCloseable {
    private static final boolean EXPORTED = NativeAccess.unsafeExported();

    final long bytes;

    private SyscallBuffer(long bytes) {
        this.bytes = bytes;
    }

    /** For the calling thread, until {@link #close}, after which nothing may be called. */
    static SyscallBuffer allocate(int bytes) {
        return EXPORTED ? new Plain(bytes) : new Checked(bytes, Arena.ofConfined());
    }

    /**
     * For all threads, one at a time, until {@link #close}. With {@code Unsafe} it does not count
     * as direct memory, of which the application may have used up all that there is.
     */
    static SyscallBuffer shared(int bytes) {
        return EXPORTED ? new Plain(bytes) : new Checked(bytes, Arena.ofShared());
    }

    /** For good, and for all threads. */
    static SyscallBuffer lasting(int bytes) {
        return EXPORTED ? new Plain(bytes) : new Checked(bytes, Arena.global());
    }

    /** A text in UTF-8 and a zero byte, as {@link #allocate}. */
    static SyscallBuffer text(String s) {
        byte[] utf8 = s.getBytes(StandardCharsets.UTF_8);
        SyscallBuffer b = allocate(utf8.length + 1);
        b.copyIn(utf8, 0, 0, utf8.length);
        return b;
    }

    /** Where it begins, for the kernel. */
    abstract long address();

    abstract byte getByte(int at);

    abstract short getShort(int at);

    abstract int getInt(int at);

    abstract long getLong(int at);

    abstract void putByte(int at, int value);

    abstract void putShort(int at, int value);

    abstract void putInt(int at, int value);

    abstract void putLong(int at, long value);

    /** An unsigned short in the network's order. */
    final int getBigEndian(int at) {
        return Short.toUnsignedInt(Short.reverseBytes(getShort(at)));
    }

    /** A short in the network's order. */
    final void putBigEndian(int at, int value) {
        putShort(at, Short.reverseBytes((short) value));
    }

    /** Copies a part of an array to {@code to}. */
    abstract void copyIn(byte[] from, int offset, int to, int lenBytes);

    /** Copies from {@code from} into a part of an array. */
    abstract void copyOut(int from, byte[] to, int offset, int lenBytes);

    @Override
    public abstract void close();

    /** By address. */
    static final class Plain extends SyscallBuffer {
        private static final Unsafe UNSAFE = Unsafe.getUnsafe();

        private final long base;

        Plain(int bytes) {
            super(bytes);
            base = UNSAFE.allocateMemory(bytes);
            UNSAFE.setMemory(base, bytes, (byte) 0);
        }

        private long at(int offset, int lenBytes) {
            return base + Objects.checkFromIndexSize(offset, lenBytes, bytes);
        }

        @Override
        long address() {
            return base;
        }

        @Override
        byte getByte(int at) {
            return UNSAFE.getByte(at(at, 1));
        }

        @Override
        short getShort(int at) {
            return UNSAFE.getShort(at(at, 2));
        }

        @Override
        int getInt(int at) {
            return UNSAFE.getInt(at(at, 4));
        }

        @Override
        long getLong(int at) {
            return UNSAFE.getLong(at(at, 8));
        }

        @Override
        void putByte(int at, int value) {
            UNSAFE.putByte(at(at, 1), (byte) value);
        }

        @Override
        void putShort(int at, int value) {
            UNSAFE.putShort(at(at, 2), (short) value);
        }

        @Override
        void putInt(int at, int value) {
            UNSAFE.putInt(at(at, 4), value);
        }

        @Override
        void putLong(int at, long value) {
            UNSAFE.putLong(at(at, 8), value);
        }

        @Override
        void copyIn(byte[] from, int offset, int to, int lenBytes) {
            Objects.checkFromIndexSize(offset, lenBytes, from.length);
            long array = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            UNSAFE.copyMemory(from, array, null, at(to, lenBytes), lenBytes);
        }

        @Override
        void copyOut(int from, byte[] to, int offset, int lenBytes) {
            Objects.checkFromIndexSize(offset, lenBytes, to.length);
            long array = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
            UNSAFE.copyMemory(null, at(from, lenBytes), to, array, lenBytes);
        }

        @Override
        public void close() {
            UNSAFE.freeMemory(base);
        }
    }

    /** By a segment. */
    static final class Checked extends SyscallBuffer {
        private final Arena arena;
        private final MemorySegment mem;

        Checked(int bytes, Arena arena) {
            super(bytes);
            this.arena = arena;
            mem = arena.allocate(bytes, Long.BYTES);
        }

        @Override
        long address() {
            return mem.address();
        }

        @Override
        byte getByte(int at) {
            return mem.get(JAVA_BYTE, at);
        }

        @Override
        short getShort(int at) {
            return mem.get(JAVA_SHORT, at);
        }

        @Override
        int getInt(int at) {
            return mem.get(JAVA_INT, at);
        }

        @Override
        long getLong(int at) {
            return mem.get(JAVA_LONG, at);
        }

        @Override
        void putByte(int at, int value) {
            mem.set(JAVA_BYTE, at, (byte) value);
        }

        @Override
        void putShort(int at, int value) {
            mem.set(JAVA_SHORT, at, (short) value);
        }

        @Override
        void putInt(int at, int value) {
            mem.set(JAVA_INT, at, value);
        }

        @Override
        void putLong(int at, long value) {
            mem.set(JAVA_LONG, at, value);
        }

        @Override
        void copyIn(byte[] from, int offset, int to, int lenBytes) {
            MemorySegment.copy(from, offset, mem, JAVA_BYTE, to, lenBytes);
        }

        @Override
        void copyOut(int from, byte[] to, int offset, int lenBytes) {
            MemorySegment.copy(mem, JAVA_BYTE, from, to, offset, lenBytes);
        }

        @Override
        public void close() {
            arena.close();
        }
    }
}
