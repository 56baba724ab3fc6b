package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;

/**
 * The Linux system calls that the fabrics need, all through libc's {@code syscall}.
 *
 * <p>Shape: one function with six word arguments and a table of numbers per architecture, so a call
 * can be bound wrongly in one place only. The function uses {@link DirectCalls} if possible, else
 * method handles of the linker. Pointers are passed as addresses: the caller keeps their memory
 * alive during the call. Results are the kernel's: a count or descriptor, or {@code -errno}.
 *
 * <p>Cost: about 20 ns on top of the kernel's. Only {@link #cpu} is {@code critical}, because only
 * that call certainly neither blocks nor takes a lock. Thread-safe.
 *
 * <p>Source of numbers: {@code asm/unistd_64.h} (x86-64) and {@code asm-generic/unistd.h}
 * (AArch64), Linux 6.12.
 */
public final class Linux {
    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int EEXIST = 17;
    public static final int ENODEV = 19;
    public static final int ENOTDIR = 20;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EINVAL = 22;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    private static final int EROFS = 30;
    public static final int EPIPE = 32;
    public static final int ENOSYS = 38;
    public static final int ELOOP = 40;
    private static final int EAFNOSUPPORT = 97;
    public static final int EADDRINUSE = 98;
    public static final int EADDRNOTAVAIL = 99;
    public static final int ENETUNREACH = 101;
    public static final int ECONNRESET = 104;
    public static final int ETIMEDOUT = 110;
    public static final int ECONNREFUSED = 111;
    public static final int EHOSTUNREACH = 113;

    public static final int CLOEXEC = 0x80000;
    public static final int NONBLOCK = 0x800;

    private static final int ARCH =
            switch (System.getProperty("os.arch", "").toLowerCase(Locale.ROOT)) {
                case "amd64", "x86_64" -> 0;
                case "aarch64" -> 1;
                default -> -1;
            };

    static final int READ = number(0, 63);
    static final int WRITE = number(1, 64);
    static final int CLOSE = number(3, 57);
    static final int MMAP = number(9, 222);
    static final int MPROTECT = number(10, 226);
    static final int MUNMAP = number(11, 215);
    static final int RT_SIGACTION = number(13, 134);
    static final int GETTID = number(186, 178);
    static final int TGKILL = number(234, 131);
    static final int SOCKET = number(41, 198);
    static final int CONNECT = number(42, 203);
    static final int SENDTO = number(44, 206);
    static final int RECVFROM = number(45, 207);
    static final int SENDMSG = number(46, 211);
    static final int RECVMSG = number(47, 212);
    static final int SHUTDOWN = number(48, 210);
    static final int BIND = number(49, 200);
    static final int LISTEN = number(50, 201);
    static final int GETSOCKNAME = number(51, 204);
    static final int GETPEERNAME = number(52, 205);
    static final int SETSOCKOPT = number(54, 208);
    static final int GETSOCKOPT = number(55, 209);
    static final int PRLIMIT64 = number(302, 261);
    static final int MADVISE = number(28, 233);
    static final int DUP3 = number(292, 24);
    static final int FCNTL = number(72, 25);
    static final int FTRUNCATE = number(77, 46);
    static final int FSTATFS = number(138, 44);
    static final int GETEUID = number(107, 175);
    static final int FUTEX = number(202, 98);
    static final int SCHED_SETAFFINITY = number(203, 122);
    static final int SCHED_GETAFFINITY = number(204, 123);
    static final int EPOLL_CTL = number(233, 21);
    static final int OPENAT = number(257, 56);
    static final int MKDIRAT = number(258, 34);
    static final int UNLINKAT = number(263, 35);
    static final int RENAMEAT = number(264, 38);
    static final int FCHMODAT = number(268, 53);
    static final int PREAD = number(17, 67);
    static final int PPOLL = number(271, 73);
    static final int EPOLL_PWAIT = number(281, 22);
    static final int ACCEPT4 = number(288, 242);
    static final int EVENTFD2 = number(290, 19);
    static final int EPOLL_CREATE1 = number(291, 20);
    static final int MEMFD_CREATE = number(319, 279);
    static final int RENAMEAT2 = number(316, 276);
    static final int STATX = number(332, 291);
    static final int PIDFD_SEND_SIGNAL = 424;

    static final int O_DIRECTORY = number(0x10000, 0x4000);
    static final int O_NOFOLLOW = number(0x20000, 0x8000);
    static final int O_PATH = 0x200000;

    /** {@code struct epoll_event} is packed on x86-64 only. */
    static final int EPOLL_EVENT_BYTES = ARCH == 0 ? 12 : 16;

    static final int EPOLL_EVENT_DATA = ARCH == 0 ? 4 : 8;

    static final int AT_FDCWD = -100;
    private static final int RLIMIT_NOFILE = 7;

    private Linux() {}

    private static int number(int x86, int arm) {
        return ARCH == 1 ? arm : x86;
    }

    /** Whether the numbers here are right for this machine. Makes no native call. */
    static boolean known() {
        return ARCH >= 0 && System.getProperty("os.name", "").equals("Linux");
    }

    /** Whether the processor is an x86-64. */
    static boolean isX86() {
        return ARCH == 0;
    }

    /** Method handles, bound at the first native call if there are no {@link DirectCalls}. */
    @SuppressWarnings("restricted")
    private static final class Handles {
        static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        static final long ERRNO = STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
        static final MethodHandle SYSCALL;
        static final MethodHandle SYSCALL_NO_ERRNO;
        static final MethodHandle SCHED_GETCPU;

        static {
            Linker linker = Linker.nativeLinker();
            var libc = linker.defaultLookup();
            var words =
                    FunctionDescriptor.of(
                            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG,
                            JAVA_LONG, JAVA_LONG);
            var variadic = Linker.Option.firstVariadicArg(1);
            MemorySegment syscall = libc.findOrThrow("syscall");
            SYSCALL =
                    linker.downcallHandle(
                            syscall, words, variadic, Linker.Option.captureCallState("errno"));
            SYSCALL_NO_ERRNO = linker.downcallHandle(syscall, words, variadic);
            SCHED_GETCPU =
                    linker.downcallHandle(
                            libc.findOrThrow("sched_getcpu"),
                            FunctionDescriptor.of(JAVA_INT),
                            Linker.Option.critical(false));
        }
    }

    /** Makes the call and returns its result or {@code -errno}. */
    static long call(int number, long a, long b, long c, long d, long e, long f) {
        if (DirectCalls.CALLS != null) {
            return DirectCalls.CALLS.call(number, a, b, c, d, e, f);
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Handles.STATE);
            long r = (long) Handles.SYSCALL.invokeExact(state, (long) number, a, b, c, d, e, f);
            return r == -1 ? -state.get(JAVA_INT, Handles.ERRNO) : r;
        } catch (Error full) { // a full stack
            throw full;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    static long call(int number, long a, long b, long c) {
        return call(number, a, b, c, 0, 0, 0);
    }

    /**
     * Makes the call and returns its result or -1. Allocates nothing; for callers that need no
     * errno.
     */
    static long callQuietly(int number, long a, long b, long c, long d, long e, long f) {
        if (DirectCalls.CALLS != null) {
            return DirectCalls.CALLS.callQuietly(number, a, b, c, d, e, f);
        }
        try {
            return (long) Handles.SYSCALL_NO_ERRNO.invokeExact((long) number, a, b, c, d, e, f);
        } catch (Error full) { // a full stack
            throw full;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    /** As {@link #call}, but repeats the call after EINTR. */
    static long callAgain(int number, long a, long b, long c, long d, long e, long f) {
        long r;
        do {
            r = call(number, a, b, c, d, e, f);
        } while (r == -EINTR);
        return r;
    }

    /** The processor that runs the calling thread. */
    public static int cpu() {
        if (DirectCalls.CALLS != null) {
            return DirectCalls.CALLS.cpu();
        }
        try {
            return (int) Handles.SCHED_GETCPU.invokeExact();
        } catch (Error full) { // a full stack
            throw full;
        } catch (Throwable t) {
            throw new AssertionError(t);
        }
    }

    public static int effectiveUid() {
        return (int) call(GETEUID, 0, 0, 0);
    }

    /**
     * Largest number of descriptors of this process; {@link Long#MAX_VALUE} = no limit is known.
     */
    public static long descriptorLimit() {
        try (SyscallBuffer s = SyscallBuffer.allocate(16)) {
            long r = call(PRLIMIT64, 0, RLIMIT_NOFILE, 0, s.address(), 0, 0);
            long soft = s.getLong(0);
            return r < 0 || soft < 0 ? Long.MAX_VALUE : soft;
        }
    }

    public static void close(int fd) {
        callQuietly(CLOSE, fd, 0, 0, 0, 0, 0);
    }

    /**
     * Mode, owner and size, by {@code statx} because its layout is the same everywhere.
     *
     * @param mode file type and permissions as in {@code st_mode}
     */
    public record FileStatus(
            int mode, int uid, long device, long inode, long sizeBytes, long modifiedMillis) {
        private static final int TYPE = 0xF000;

        public boolean isSocket() {
            return (mode & TYPE) == 0xC000;
        }

        public boolean isRegularFile() {
            return (mode & TYPE) == 0x8000;
        }

        public int permissions() {
            return mode & 0xFFF;
        }
    }

    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    private static final int AT_EMPTY_PATH = 0x1000;
    private static final int STATX_BASIC_STATS = 0x7ff;
    private static final int STATX_BYTES = 256;

    /** Returns the status of an open file, or null if that fails. */
    public static FileStatus status(int fd) {
        return status(fd, "", AT_EMPTY_PATH);
    }

    /**
     * Returns the status of {@code name} in an open directory, or null. Symbolic links are not
     * followed.
     */
    static FileStatus statusIn(int dir, String name) {
        return status(dir, name, AT_SYMLINK_NOFOLLOW);
    }

    private static FileStatus status(int dir, String path, int flags) {
        try (SyscallBuffer name = SyscallBuffer.text(path);
                SyscallBuffer s = SyscallBuffer.allocate(STATX_BYTES)) {
            long r = call(STATX, dir, name.address(), flags, STATX_BASIC_STATS, s.address(), 0);
            if (r < 0) {
                return null;
            }
            return new FileStatus(
                    Short.toUnsignedInt(s.getShort(28)),
                    s.getInt(20),
                    (long) s.getInt(136) << 32 | Integer.toUnsignedLong(s.getInt(140)),
                    s.getLong(32),
                    s.getLong(40),
                    s.getLong(112) * 1000 + s.getInt(120) / 1_000_000);
        }
    }

    /** Text for {@code errno}, for people. */
    public static String text(long result) {
        return switch ((int) -result) {
            case EPERM -> "operation not permitted";
            case ENOENT -> "no such file or directory";
            case EAGAIN -> "resource temporarily unavailable";
            case ENOMEM -> "not enough memory";
            case EACCES -> "permission denied";
            case EEXIST -> "file exists";
            case ENODEV -> "no such device";
            case ENOTDIR -> "not a directory";
            case EINVAL -> "invalid argument";
            case ENFILE -> "too many open files in the system";
            case EMFILE -> "too many open files";
            case ENOSPC -> "no space left";
            case EFBIG -> "larger than files may be (ulimit -f)";
            case EROFS -> "read-only file system";
            case ENOSYS -> "the call is not there, or a sandbox denies it";
            case EAFNOSUPPORT -> "address family not supported";
            case EADDRINUSE -> "address in use";
            case EADDRNOTAVAIL -> "address not available";
            case ENETUNREACH -> "network unreachable";
            case ECONNRESET -> "connection reset";
            case ETIMEDOUT -> "timed out";
            case ECONNREFUSED -> "connection refused";
            case EHOSTUNREACH -> "host unreachable";
            default -> "errno " + -result;
        };
    }
}
