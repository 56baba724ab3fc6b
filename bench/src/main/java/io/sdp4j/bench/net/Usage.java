package io.sdp4j.bench.net;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What this process and this thread have used so far. */
public final class Usage {
    private static final OperatingSystemMXBean OS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS =
            ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    private Usage() {}

    /** CPU time of the process, all threads, nanoseconds (the JDK counts in 10 ms steps). */
    public static long cpuNanos() {
        return OS.getProcessCpuTime();
    }

    /** Heap bytes the calling thread has allocated. */
    public static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
