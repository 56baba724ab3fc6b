package io.sdp4j.bench;

import static java.util.concurrent.TimeUnit.NANOSECONDS;

import io.sdp4j.bench.net.Usage;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * How much a JVM's just-in-time compilers have worked, read from outside: while they do, they take
 * the processors that are measured, and what is measured is not yet what they make of it.
 */
final class Compilers {
    /** The kernel keeps 15 characters: {@code C1 CompilerThread0}, {@code C2 CompilerThread0}. */
    private static final List<String> THREADS = List.of("C1 CompilerThre", "C2 CompilerThre");

    /** Between two looks at them, and what they may have worked in it to pass for idle. */
    private static final int SLICE_MS = 1000;

    private static final int IDLE_MS = 30;

    /** The work to be compiled. */
    interface Work {
        /** Does it for this time. */
        void run(int forMs) throws IOException, InterruptedException;
    }

    /** Cost of compiling so far. */
    interface Meter {
        /** In milliseconds. */
        long cpuMs() throws IOException;
    }

    private Compilers() {}

    /**
     * Goes on with work until it leaves the compilers of these JVMs idle, or until the time is
     * over.
     */
    static void warmUp(int mostMs, Work work, Worker... jvms)
            throws IOException, InterruptedException {
        warmUp(mostMs, work, () -> cpuMs(jvms));
    }

    /** As the other one, where {@code meter} tells what the compilers have worked. */
    static void warmUp(int mostMs, Work work, Meter meter)
            throws IOException, InterruptedException {
        long before = meter.cpuMs();
        for (int warmedMs = 0; warmedMs < mostMs; warmedMs += SLICE_MS) {
            work.run(SLICE_MS);
            long now = meter.cpuMs();
            if (now - before <= IDLE_MS) {
                return;
            }
            before = now;
        }
    }

    private static long cpuMs(Worker... jvms) throws IOException {
        long sum = 0;
        for (Worker jvm : jvms) {
            sum += cpuMs(jvm.pid());
        }
        return sum;
    }

    /**
     * Processor time of the compiler threads of a process that live now, in milliseconds and steps
     * of ten; 0 if there is no such process.
     */
    static long cpuMs(long pid) throws IOException {
        long jiffies = 0;
        try (DirectoryStream<Path> threads =
                Files.newDirectoryStream(Path.of("/proc", String.valueOf(pid), "task"))) {
            for (Path thread : threads) {
                jiffies += jiffies(thread);
            }
        } catch (NoSuchFileException ended) {
            return 0;
        } catch (DirectoryIteratorException broken) {
            throw broken.getCause();
        }
        return NANOSECONDS.toMillis(jiffies * Usage.JIFFY_NANOS);
    }

    private static long jiffies(Path thread) throws IOException {
        String stat;
        try {
            stat = Files.readString(thread.resolve("stat"));
        } catch (IOException unread) {
            // One that ends while it is read is "No such process", and not a missing file.
            if (Files.exists(thread)) {
                throw unread;
            }
            return 0;
        }
        int nameEnds = stat.lastIndexOf(')');
        String name = stat.substring(stat.indexOf('(') + 1, nameEnds);
        if (!THREADS.contains(name)) {
            return 0;
        }
        // proc_pid_stat(5): the fields after the name begin with the 3rd; these are the 14th and
        // 15th
        String[] fields = stat.substring(nameEnds + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
