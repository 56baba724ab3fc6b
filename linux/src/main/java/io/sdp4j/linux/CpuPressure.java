package io.sdp4j.linux;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether more threads want to run on this machine than it has processors.
 *
 * <p>Shape: the fourth field of {@code /proc/loadavg} counts the runnable threads of all processes
 * at this moment. It is read at most once in a millisecond, by whichever thread asks first, and is
 * believed until the next time. Where it cannot be read the answer is always no.
 */
public final class CpuPressure {
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int TEXT_BYTES = 64;
    private static final int FD;

    /**
     * Of the machine, as the threads are those of all containers; of this JVM without {@code /sys}.
     */
    private static final int PROCESSORS =
            Affinity.processors() > 0
                    ? Affinity.processors()
                    : Runtime.getRuntime().availableProcessors();

    private static final SyscallBuffer TEXT = SyscallBuffer.lasting(TEXT_BYTES);
    private static final AtomicLong LOOKED = new AtomicLong(System.nanoTime() - FRESH_NANOS);
    private static volatile boolean crowded;

    static {
        try (SyscallBuffer file = SyscallBuffer.text("/proc/loadavg")) {
            FD = (int) Linux.call(Linux.OPENAT, Linux.AT_FDCWD, file.address(), Linux.CLOEXEC);
        }
    }

    private CpuPressure() {}

    /**
     * Whether a thread that spins would now keep another one from running.
     *
     * @param nowNanos {@link System#nanoTime}
     */
    public static boolean crowded(long nowNanos) {
        long looked = LOOKED.get();
        if (nowNanos - looked >= FRESH_NANOS && LOOKED.compareAndSet(looked, nowNanos)) {
            crowded = runnable() > PROCESSORS;
        }
        return crowded;
    }

    private static int runnable() {
        int n = (int) Linux.callQuietly(Linux.PREAD, FD, TEXT.address(), TEXT_BYTES, 0, 0, 0);
        int at = 0;
        for (int spaces = 0; at < n && spaces < 3; at++) {
            if (TEXT.getByte(at) == ' ') {
                spaces++;
            }
        }
        int count = 0;
        for (; at < n && Character.isDigit(TEXT.getByte(at)); at++) {
            count = count * 10 + TEXT.getByte(at) - '0';
        }
        return count;
    }
}
