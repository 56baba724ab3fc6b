package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Copies into memory that another processor reads next, bypassing the cache of the copying one.
 *
 * <p>Why: an ordinary store first fetches the cache line that it writes. The line is still in the
 * reader's cache from the last reading, and the reader then fetches it back. If the two processors
 * share no cache, this bounds a copy at about 2 GB/s. A non-temporal store avoids both fetches: it
 * was measured at 13 to 18 GB/s there, and at 1 to 2 times an ordinary copy where the processors
 * share a cache.
 *
 * <p>How: neither the JDK's copies nor libc's use such stores for blocks of this size, so the loop
 * is 68 bytes of machine code in one page, mapped writable first and executable afterwards, never
 * both. Every x86-64 processor has {@code movntdq}. The copy is an ordinary one on other
 * architectures, without native access, and where the system refuses executable memory or may
 * refuse pages. So is the copy of a mapped file: another process may truncate the file, and the JVM
 * survives the fault only in its own copies.
 *
 * <p>Thread-safe. The {@code sfence} at the loop's end orders its stores before every later one, so
 * a release store publishes them as it does ordinary ones.
 */
public final class NonTemporal {
    /** Unit of a store: a cache line. */
    private static final int LINE = 64;

    /** Shortest copy that is worth a foreign call and partly filled lines. */
    private static final int LEAST_BYTES = 4 * LINE;

    private static final int PAGE_BYTES = 4096;
    private static final int PROT_READ_WRITE = 3;
    private static final int PROT_READ_EXEC = 5;
    private static final int MAP_PRIVATE_ANONYMOUS = 0x22;

    /**
     * {@code void copy(char *to, const char *from, long toOffset, long fromOffset, long lenBytes)}
     * by the System V calling convention; {@code to + toOffset} on a line, {@code lenBytes} a
     * positive multiple of a line.
     */
    private static final int[] CODE = {
        0xf3, 0x0f, 0x1e, 0xfa, //       endbr64
        0x48, 0x01, 0xd7, //             add     rdi, rdx
        0x48, 0x01, 0xce, //             add     rsi, rcx
        0x49, 0x01, 0xf8, //             add     r8, rdi
        0xf3, 0x0f, 0x6f, 0x06, // line: movdqu  xmm0, [rsi]
        0xf3, 0x0f, 0x6f, 0x4e, 0x10, // movdqu  xmm1, [rsi + 16]
        0xf3, 0x0f, 0x6f, 0x56, 0x20, // movdqu  xmm2, [rsi + 32]
        0xf3, 0x0f, 0x6f, 0x5e, 0x30, // movdqu  xmm3, [rsi + 48]
        0x66, 0x0f, 0xe7, 0x07, //       movntdq [rdi], xmm0
        0x66, 0x0f, 0xe7, 0x4f, 0x10, // movntdq [rdi + 16], xmm1
        0x66, 0x0f, 0xe7, 0x57, 0x20, // movntdq [rdi + 32], xmm2
        0x66, 0x0f, 0xe7, 0x5f, 0x30, // movntdq [rdi + 48], xmm3
        0x48, 0x83, 0xc6, 0x40, //       add     rsi, 64
        0x48, 0x83, 0xc7, 0x40, //       add     rdi, 64
        0x4c, 0x39, 0xc7, //             cmp     rdi, r8
        0x75, 0xcd, //                   jne     line
        0x0f, 0xae, 0xf8, //             sfence
        0xc3, //                         ret
    };

    private static final AtomicBoolean ASKED = new AtomicBoolean();
    private static final Thread BINDER =
            DaemonThread.of("sdp4j-copy", () -> bound = Loop.COPY != null);

    /** {@link Loop} is initialised and has a handle. */
    private static volatile boolean bound;

    /**
     * Holds the handle of the loop. The JDK's linker takes long to make it and needs a deep stack.
     */
    private static final class Loop {
        static final MethodHandle COPY = bind();
    }

    private NonTemporal() {}

    /** Whether non-temporal copies may be available here. The answer never changes. */
    public static boolean possible() {
        return NativeAccess.granted() && Linux.isX86();
    }

    /**
     * Whether non-temporal copies are available now. The first call starts a thread that prepares
     * them. The calling thread does not do that itself: if {@link Loop} failed to initialise, as on
     * the full stack of an application's thread, the JVM could never use that class.
     */
    public static boolean available() {
        if (!bound && ASKED.compareAndSet(false, true)) {
            try {
                BINDER.start();
            } catch (OutOfMemoryError e) {
                // no more threads: copies stay ordinary
            }
        }
        return bound;
    }

    /**
     * Copies {@code lenBytes} bytes of a buffer. The segment of the buffer is made in the call
     * itself: further away the compiler may not see that the segment does not escape.
     *
     * @param fromIndex between the buffer's position and its limit; bounds are checked
     * @param to native memory; bounds are checked
     */
    public static void copy(
            ByteBuffer from, int fromIndex, MemorySegment to, long toOffset, int lenBytes) {
        int head = (int) (-(to.address() + toOffset) & (LINE - 1));
        int body = (lenBytes - head) & -LINE;
        if (lenBytes < LEAST_BYTES || !available() || mayLosePages(from)) {
            plain(from, fromIndex, to, toOffset, lenBytes);
            return;
        }
        int after = head + body;
        // Both ordinary copies are made whatever their length, because they check the bounds.
        plain(from, fromIndex, to, toOffset, head);
        plain(from, fromIndex + after, to, toOffset + after, lenBytes - after);
        long toBody = toOffset + head;
        long fromBody = (long) fromIndex - from.position() + head;
        try {
            Loop.COPY.invokeExact(to, MemorySegment.ofBuffer(from), toBody, fromBody, (long) body);
        } catch (RuntimeException | Error e) { // a closed arena, a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    private static boolean mayLosePages(ByteBuffer b) {
        return b.isDirect() && MemorySegment.ofBuffer(b).isMapped();
    }

    private static void plain(
            ByteBuffer from, int fromIndex, MemorySegment to, long toOffset, int lenBytes) {
        long at = (long) fromIndex - from.position();
        MemorySegment.copy(MemorySegment.ofBuffer(from), at, to, toOffset, lenBytes);
    }

    /**
     * Copies {@code lenBytes} bytes of an array, as the other one does.
     *
     * @param to native memory; bounds are checked
     */
    public static void copy(
            byte[] from, int fromOffset, MemorySegment to, long toOffset, int lenBytes) {
        int head = (int) (-(to.address() + toOffset) & (LINE - 1));
        int body = (lenBytes - head) & -LINE;
        if (lenBytes < LEAST_BYTES || !available()) {
            MemorySegment.copy(from, fromOffset, to, JAVA_BYTE, toOffset, lenBytes);
            return;
        }
        int after = head + body;
        // Both ordinary copies are made whatever their length, because they check the bounds.
        MemorySegment.copy(from, fromOffset, to, JAVA_BYTE, toOffset, head);
        MemorySegment.copy(
                from, fromOffset + after, to, JAVA_BYTE, toOffset + after, lenBytes - after);
        long toBody = toOffset + head;
        long fromBody = (long) fromOffset + head;
        try {
            Loop.COPY.invokeExact(to, MemorySegment.ofArray(from), toBody, fromBody, (long) body);
        } catch (RuntimeException | Error e) { // a closed arena, a full stack
            throw e;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /**
     * Whether the kernel counts what is promised ({@code vm.overcommit_memory} is 2) and may refuse
     * a page of a memfd at its first use: a fault that the JVM survives in its own copies only.
     * Also where the kernel does not tell.
     */
    private static boolean pagesMayBeRefused() {
        try {
            return Files.readString(Path.of("/proc/sys/vm/overcommit_memory")).startsWith("2");
        } catch (IOException e) {
            return true;
        }
    }

    /** The handle of the loop, or null where there is none. */
    @SuppressWarnings("restricted")
    private static MethodHandle bind() {
        if (!possible() || pagesMayBeRefused()) {
            return null;
        }
        long page =
                Linux.call(
                        Linux.MMAP, 0, PAGE_BYTES, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS, -1, 0);
        if (page < 0 && page > -PAGE_BYTES) {
            return null;
        }
        MemorySegment code = MemorySegment.ofAddress(page).reinterpret(PAGE_BYTES);
        for (int i = 0; i < CODE.length; i++) {
            code.set(JAVA_BYTE, i, (byte) CODE[i]);
        }
        if (Linux.call(Linux.MPROTECT, page, PAGE_BYTES, PROT_READ_EXEC) < 0) {
            Linux.call(Linux.MUNMAP, page, PAGE_BYTES, 0);
            return null;
        }
        return Linker.nativeLinker()
                .downcallHandle(
                        code,
                        FunctionDescriptor.ofVoid(
                                ADDRESS, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                        Linker.Option.critical(true));
    }
}
