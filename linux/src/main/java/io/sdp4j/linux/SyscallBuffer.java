package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import jdk.internal.misc.Unsafe;

/**
 * Native memory for the arguments and results of system calls. The memory is zeroed and suitably
 * aligned. Offsets are in bytes and are checked; words are aligned and in the processor's byte
 * order.
 *
 * <p>Shape: the JDK's {@code Unsafe} if the agent exports it to this module, else a memory segment,
 * as in {@link MappedMemory}. Accesses to a segment make much work for the compilers of a young
 * JVM.
 *
 * <p>Not thread-safe.
 */
final class SyscallBuffer implements AutoCloseable {
    /** Null if it is not exported. */
    private static final Unsafe UNSAFE = NativeAccess.unsafeExported() ? Unsafe.getUnsafe() : null;

    /** As the JDK encodes names of files. */
    private static final Charset FILES =
            Charset.forName(
                    System.getProperty("sun.jnu.encoding", "UTF-8"), StandardCharsets.UTF_8);

    final long bytes;
    private final long base;
    private final Arena arena;

    /** Null, like the arena, if {@code Unsafe} has allocated the memory. */
    private final MemorySegment mem;

    /**
     * @param arena null = {@code Unsafe} allocates the memory
     */
    SyscallBuffer(int bytes, Arena arena) {
        this.bytes = bytes;
        this.arena = arena;
        if (arena == null) {
            mem = null;
            base = UNSAFE.allocateMemory(bytes);
            UNSAFE.setMemory(base, bytes, (byte) 0);
        } else {
            mem = arena.allocate(bytes, Long.BYTES);
            base = mem.address();
        }
    }

    /**
     * Allocates memory for the calling thread, until {@link #close}. Nothing may be called
     * afterwards.
     */
    static SyscallBuffer allocate(int bytes) {
        return new SyscallBuffer(bytes, UNSAFE == null ? Arena.ofConfined() : null);
    }

    /**
     * Allocates memory for all threads, one at a time, until {@link #close}. With {@code Unsafe} it
     * does not count as direct memory, which the application may have used up.
     */
    static SyscallBuffer shared(int bytes) {
        return new SyscallBuffer(bytes, UNSAFE == null ? Arena.ofShared() : null);
    }

    /** Allocates memory for all threads, which is never freed. */
    static SyscallBuffer lasting(int bytes) {
        return new SyscallBuffer(bytes, UNSAFE == null ? Arena.global() : null);
    }

    /** As {@link #allocate}, filled with a text, as in names of files, and a zero byte. */
    static SyscallBuffer text(String s) {
        byte[] encoded = s.getBytes(FILES);
        SyscallBuffer b = allocate(encoded.length + 1);
        b.copyIn(encoded, 0, 0, encoded.length);
        return b;
    }

    /** Address of the memory, for the kernel. */
    long address() {
        return base;
    }

    private long at(int offset, int lenBytes) {
        return base + Objects.checkFromIndexSize(offset, lenBytes, bytes);
    }

    byte getByte(int at) {
        return mem == null ? UNSAFE.getByte(at(at, 1)) : mem.get(JAVA_BYTE, at);
    }

    short getShort(int at) {
        return mem == null ? UNSAFE.getShort(at(at, 2)) : mem.get(JAVA_SHORT, at);
    }

    int getInt(int at) {
        return mem == null ? UNSAFE.getInt(at(at, 4)) : mem.get(JAVA_INT, at);
    }

    long getLong(int at) {
        return mem == null ? UNSAFE.getLong(at(at, 8)) : mem.get(JAVA_LONG, at);
    }

    void putByte(int at, int value) {
        if (mem == null) {
            UNSAFE.putByte(at(at, 1), (byte) value);
        } else {
            mem.set(JAVA_BYTE, at, (byte) value);
        }
    }

    void putShort(int at, int value) {
        if (mem == null) {
            UNSAFE.putShort(at(at, 2), (short) value);
        } else {
            mem.set(JAVA_SHORT, at, (short) value);
        }
    }

    void putInt(int at, int value) {
        if (mem == null) {
            UNSAFE.putInt(at(at, 4), value);
        } else {
            mem.set(JAVA_INT, at, value);
        }
    }

    void putLong(int at, long value) {
        if (mem == null) {
            UNSAFE.putLong(at(at, 8), value);
        } else {
            mem.set(JAVA_LONG, at, value);
        }
    }

    /** An unsigned short in the network's order. */
    int getBigEndian(int at) {
        return Short.toUnsignedInt(Short.reverseBytes(getShort(at)));
    }

    /** A short in the network's order. */
    void putBigEndian(int at, int value) {
        putShort(at, Short.reverseBytes((short) value));
    }

    /** Copies a part of an array to {@code to}. */
    void copyIn(byte[] from, int offset, int to, int lenBytes) {
        if (mem != null) {
            MemorySegment.copy(from, offset, mem, JAVA_BYTE, to, lenBytes);
            return;
        }
        Objects.checkFromIndexSize(offset, lenBytes, from.length);
        long array = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
        UNSAFE.copyMemory(from, array, null, at(to, lenBytes), lenBytes);
    }

    /** Copies from {@code from} into a part of an array. */
    void copyOut(int from, byte[] to, int offset, int lenBytes) {
        if (mem != null) {
            MemorySegment.copy(mem, JAVA_BYTE, from, to, offset, lenBytes);
            return;
        }
        Objects.checkFromIndexSize(offset, lenBytes, to.length);
        long array = Unsafe.ARRAY_BYTE_BASE_OFFSET + (long) offset;
        UNSAFE.copyMemory(null, at(from, lenBytes), to, array, lenBytes);
    }

    @Override
    public void close() {
        if (mem == null) {
            UNSAFE.freeMemory(base);
        } else {
            arena.close();
        }
    }
}
