package io.sdp4j.bench.net;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Resources used by this process and this thread so far. */
public final class Usage {
    private static final OperatingSystemMXBean OS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS =
            ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

    /**
     * Processor time that counts: the {@code process}'s, as by default; the {@code machine}'s,
     * where the kernel works for both ends in threads of its own; or {@code none}, for the end that
     * is not asked then.
     */
    public static final String CPU_PROPERTY = "sdp4j.bench.cpu";

    private static final String CPU = System.getProperty(CPU_PROPERTY, "process");

    /** The step in which Linux tells processor time, in nanoseconds. */
    public static final long JIFFY_NANOS = 10_000_000;

    private Usage() {}

    /** CPU time so far, nanoseconds (the JDK and the kernel count in 10 ms steps). */
    public static long cpuNanos() {
        return switch (CPU) {
            case "machine" -> machineNanos();
            case "none" -> 0;
            default -> OS.getProcessCpuTime();
        };
    }

    /** Processor time of the whole machine so far, nanoseconds, in steps of 10 ms. */
    public static long machineNanos() {
        try (BufferedReader stat = Files.newBufferedReader(Path.of("/proc/stat"))) {
            String[] fields = stat.readLine().split(" +", -1);
            long jiffies = 0;
            for (int i = 1; i < Math.min(fields.length, 9); i++) {
                if (i != 4 && i != 5) { // idle, and waiting for disks
                    jiffies += Long.parseLong(fields[i]);
                }
            }
            return jiffies * JIFFY_NANOS;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Processor time of another process so far, nanoseconds, in steps of 10 ms. */
    public static long processNanos(long pid) {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().totalCpuDuration())
                .orElseThrow()
                .toNanos();
    }

    /** How often the threads that this process has now have left a processor, by will or not. */
    public static long contextSwitches() throws IOException {
        long switches = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(Path.of("/proc/self/task"))) {
            for (Path thread : threads) {
                switches += contextSwitches(thread);
            }
        }
        return switches;
    }

    private static long contextSwitches(Path thread) throws IOException {
        long switches = 0;
        try (BufferedReader status = Files.newBufferedReader(thread.resolve("status"))) {
            for (String line = status.readLine(); line != null; line = status.readLine()) {
                if (line.contains("ctxt_switches:")) {
                    switches += Long.parseLong(line.substring(line.indexOf(':') + 1).trim());
                }
            }
        } catch (NoSuchFileException ended) {
            return 0;
        }
        return switches;
    }

    /** Heap bytes the calling thread has allocated. */
    public static long allocatedBytes() {
        return THREADS.getCurrentThreadAllocatedBytes();
    }
}
