package io.sdp4j.bench;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * How much a JVM's just-in-time compilers have worked, read from outside: while they do, they take
 * the processors that are measured, and what is measured is not yet what they make of it.
 */
final class Compilers {
    /** The kernel keeps 15 characters: {@code C1 CompilerThread0}, {@code C2 CompilerThread0}. */
    private static final String THREAD = "C[12] CompilerThre";

    private static final long JIFFY_MS = 10;

    /** Between two looks at them, and what they may have worked in it to pass for idle. */
    private static final int SLICE_MS = 1000;

    private static final int IDLE_MS = 30;

    /** What is to be compiled. */
    interface Work {
        /** Does it for so long. */
        void run(int forMs) throws IOException, InterruptedException;
    }

    private Compilers() {}

    /** Goes on with work until it leaves the compilers of these JVMs idle, or for so long. */
    static void warmUp(int mostMs, Work work, Worker... jvms)
            throws IOException, InterruptedException {
        long before = cpuMs(jvms);
        for (int warmedMs = 0; warmedMs < mostMs; warmedMs += SLICE_MS) {
            work.run(SLICE_MS);
            long now = cpuMs(jvms);
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
        return jiffies * JIFFY_MS;
    }

    private static long jiffies(Path thread) throws IOException {
        String stat;
        try {
            stat = Files.readString(thread.resolve("stat"));
        } catch (NoSuchFileException ended) {
            return 0;
        }
        int nameEnds = stat.lastIndexOf(')');
        String name = stat.substring(stat.indexOf('(') + 1, nameEnds);
        if (!name.matches(THREAD + ".*")) {
            return 0;
        }
        // proc_pid_stat(5): the fields after the name begin with the 3rd; these are the 14th and
        // 15th
        String[] fields = stat.substring(nameEnds + 2).split(" ", -1);
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
}
