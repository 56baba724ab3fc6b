package io.sdp4j.fabric.shm;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** Lets the kernel refuse a system call to this process, as some sandboxes do. */
final class Seccomp {
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final long SET_MODE_FILTER = 1;
    private static final long OF_ALL_THREADS = 1;

    static final boolean ARM = System.getProperty("os.arch").equals("aarch64");

    /** Any third argument. */
    static final int ANY = -1;

    private Seccomp() {}

    /**
     * Source: seccomp(2), {@code linux/filter.h}.
     *
     * @param call number of the call that is refused with {@code errno}
     * @param third the third argument with which it is refused
     */
    @SuppressWarnings("restricted")
    static void refuse(int call, int third, int errno) {
        Linker linker = Linker.nativeLinker();
        MethodHandle prctl =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("prctl"),
                        FunctionDescriptor.of(
                                JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
                        Linker.Option.firstVariadicArg(1));
        MethodHandle syscall =
                linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("syscall"),
                        FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, ADDRESS),
                        Linker.Option.firstVariadicArg(1));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment code = arena.allocate(48, 8);
            code.set(JAVA_LONG, 0, 0x20L); // load the call's number
            code.set(JAVA_LONG, 8, (long) call << 32 | 3L << 24 | 0x15); // else 3 further
            code.set(JAVA_LONG, 16, 32L << 32 | 0x20); // load the third argument
            code.set(JAVA_LONG, 24, (long) third << 32 | (third == ANY ? 0L : 1L) << 24 | 0x15);
            code.set(JAVA_LONG, 32, (0x0005_0000L | errno) << 32 | 0x06); // refused
            code.set(JAVA_LONG, 40, 0x7FFF_0000L << 32 | 0x06); // allowed
            MemorySegment program = arena.allocate(16, 8);
            program.set(JAVA_SHORT, 0, (short) 6);
            program.set(ADDRESS, 8, code);
            int privileges = (int) prctl.invokeExact(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
            long filter =
                    (long)
                            syscall.invokeExact(
                                    ARM ? 277L : 317L, SET_MODE_FILTER, OF_ALL_THREADS, program);
            if (privileges != 0 || filter != 0) {
                throw new IllegalStateException("seccomp " + privileges + " " + filter);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException(t);
        }
    }
}
