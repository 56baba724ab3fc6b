package java.lang.invoke;

import java.util.Arrays;
import jdk.internal.foreign.abi.ABIDescriptor;
import jdk.internal.foreign.abi.NativeEntryPoint;
import jdk.internal.foreign.abi.VMStorage;
import jdk.internal.foreign.abi.x64.X86_64Architecture;
import jdk.internal.foreign.abi.x64.X86_64Architecture.Regs;
import jdk.internal.loader.BootLoader;

/**
 * Calls libc's {@code syscall} and {@code sched_getcpu} on Linux x86-64. The class is in this
 * package because {@code linkToNative} can be called only here; other code has to use the linker,
 * which makes classes for each shape of call.
 *
 * <p>Calls follow the System V ABI: six words in registers, one on the stack, the result in {@code
 * rax}.
 */
public final class NativeCalls {
    /** The bit that asks for errno in HotSpot's downcalls. */
    private static final int ERRNO = 1 << 2;

    private static final VMStorage[] WORDS = {
        Regs.rdi,
        Regs.rsi,
        Regs.rdx,
        Regs.rcx,
        Regs.r8,
        Regs.r9,
        X86_64Architecture.stackStorage((short) Long.BYTES, 0)
    };
    private static final VMStorage[] RESULT = {Regs.rax};

    private static final ABIDescriptor ABI =
            X86_64Architecture.abiFor(
                    new VMStorage[] {
                        Regs.rdi, Regs.rsi, Regs.rdx, Regs.rcx, Regs.r8, Regs.r9, Regs.rax
                    },
                    new VMStorage[] {
                        Regs.xmm0, Regs.xmm1, Regs.xmm2, Regs.xmm3, Regs.xmm4, Regs.xmm5, Regs.xmm6,
                        Regs.xmm7
                    },
                    new VMStorage[] {Regs.rax, Regs.rdx},
                    new VMStorage[] {Regs.xmm0, Regs.xmm1},
                    2,
                    new VMStorage[] {Regs.r10, Regs.r11},
                    new VMStorage[] {
                        Regs.xmm8, Regs.xmm9, Regs.xmm10, Regs.xmm11, Regs.xmm12, Regs.xmm13,
                        Regs.xmm14, Regs.xmm15
                    },
                    16,
                    0,
                    Regs.r10,
                    Regs.r11);

    private static final long SYSCALL = find("syscall");
    private static final long GETCPU = find("sched_getcpu");

    private static final NativeEntryPoint WITH_ERRNO =
            make(ERRNO, ABI.targetAddrStorage(), ABI.capturedStateStorage());
    private static final NativeEntryPoint WITHOUT =
            make(0, ABI.targetAddrStorage());
    private static final NativeEntryPoint CPU =
            NativeEntryPoint.make(
                    ABI,
                    new VMStorage[] {ABI.targetAddrStorage()},
                    RESULT,
                    MethodType.methodType(int.class, long.class),
                    false,
                    0,
                    false,
                    false);

    private NativeCalls() {}

    private static long find(String name) {
        long address = BootLoader.getNativeLibraries().find(name);
        if (address == 0) {
            throw new UnsatisfiedLinkError(name);
        }
        return address;
    }

    /** Makes an entry point whose arguments are {@code first}, then all {@link #WORDS}. */
    private static NativeEntryPoint make(int captured, VMStorage... first) {
        VMStorage[] storage = Arrays.copyOf(first, first.length + WORDS.length);
        System.arraycopy(WORDS, 0, storage, first.length, WORDS.length);
        Class<?>[] types = new Class<?>[storage.length];
        Arrays.fill(types, long.class);
        return NativeEntryPoint.make(
                ABI,
                storage,
                RESULT,
                MethodType.methodType(long.class, types),
                false,
                captured,
                true,
                false);
    }

    /**
     * {@code syscall(2)}.
     *
     * @param errno address of an int that gets errno
     */
    public long call(
            long errno, long number, long a, long b, long c, long d, long e, long f)
            throws Throwable {
        return (long) MethodHandle.linkToNative(SYSCALL, errno, number, a, b, c, d, e, f, WITH_ERRNO);
    }

    /** As the other {@code call}, without errno. */
    public long call(long number, long a, long b, long c, long d, long e, long f)
            throws Throwable {
        return (long) MethodHandle.linkToNative(SYSCALL, number, a, b, c, d, e, f, WITHOUT);
    }

    /** {@code sched_getcpu(3)}. */
    public int cpu() throws Throwable {
        return (int) MethodHandle.linkToNative(GETCPU, CPU);
    }
}
