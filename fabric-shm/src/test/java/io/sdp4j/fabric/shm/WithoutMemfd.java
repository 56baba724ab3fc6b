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

/** A {@link Peer} to which the kernel refuses memfd_create, as some sandboxes let it. */
public final class WithoutMemfd {
    private static final int PR_SET_NO_NEW_PRIVS = 38;
    private static final long SET_MODE_FILTER = 1;
    private static final long OF_ALL_THREADS = 1;

    private WithoutMemfd() {}

    public static void main(String[] args) throws Exception {
        refuse();
        Peer.main(args);
    }

    /** Source: seccomp(2), {@code linux/filter.h}. */
    @SuppressWarnings("restricted")
    private static void refuse() {
        boolean arm = System.getProperty("os.arch").equals("aarch64");
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
            MemorySegment code = arena.allocate(32, 8);
            code.set(JAVA_LONG, 0, 0x20L); // load the call's number
            code.set(JAVA_LONG, 8, (arm ? 279L : 319L) << 32 | 1L << 24 | 0x15);
            code.set(JAVA_LONG, 16, 0x0005_0001L << 32 | 0x06); // EPERM
            code.set(JAVA_LONG, 24, 0x7FFF_0000L << 32 | 0x06); // allowed
            MemorySegment program = arena.allocate(16, 8);
            program.set(JAVA_SHORT, 0, (short) 4);
            program.set(ADDRESS, 8, code);
            int privileges = (int) prctl.invokeExact(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L);
            long filter =
                    (long)
                            syscall.invokeExact(
                                    arm ? 277L : 317L, SET_MODE_FILTER, OF_ALL_THREADS, program);
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
