package io.sdp4j.offload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Keeps connections on TCP while too many threads of the machine wait for a processor: the JVM's
 * compilers then wait, too, and until they have compiled the offloaded path a connection that has
 * moved is slower than TCP (docs/decisions/0016-no-moves-in-a-crowd.md). Thread-safe.
 */
final class UpgradeGate {
    /** Most runnable threads for each processor with which connections still move. */
    static final int CROWD = 16;

    /** Pause before a connection that may not move asks again. */
    static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Least time between two counts of the threads. */
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Age at which the average is of another time: a connection that waits asks every second. */
    static final long OLD_NANOS = 2 * WAIT_NANOS;

    /** Inverse weight of a new count in the moving average; counts vary by half. */
    private static final int MEMORY = 8;

    private final IntSupplier runnable; // counts the machine's threads that run or want to
    private final int most; // such threads with which the gate is open
    private double average = -1; // this; negative before the first look
    private long lookedNanos; // this

    UpgradeGate(IntSupplier runnable, int processors) {
        this.runnable = runnable;
        this.most = CROWD * processors;
    }

    /** Apart, because making the gate takes milliseconds and most programs never ask. */
    static final class OfMachine {
        /** The gate of this machine; open if the kernel does not tell the number of threads. */
        static final UpgradeGate GATE = new UpgradeGate(UpgradeGate::runnableThreads, processors());
    }

    /**
     * Whether connections may move now. May read a file.
     *
     * @param nowNanos {@link System#nanoTime}
     */
    synchronized boolean isOpen(long nowNanos) {
        if (average < 0 || nowNanos - lookedNanos >= OLD_NANOS) {
            average = runnable.getAsInt();
            lookedNanos = nowNanos;
        } else if (nowNanos - lookedNanos >= LOOK_NANOS) {
            average += (runnable.getAsInt() - average) / MEMORY;
            lookedNanos = nowNanos;
        }
        return average <= most;
    }

    /** Reads the fourth field of {@code /proc/loadavg}, before its slash. */
    private static int runnableThreads() {
        try {
            String count = Files.readString(Path.of("/proc/loadavg")).split(" ", 5)[3];
            return Integer.parseInt(count.substring(0, count.indexOf('/')));
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return 0;
        }
    }

    /**
     * Counts all online processors of the machine, because the threads are those of all containers.
     */
    private static int processors() {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            return (int) Math.max(1, lines.filter(l -> l.matches("cpu\\d+ .*")).count());
        } catch (IOException | UncheckedIOException e) {
            return Runtime.getRuntime().availableProcessors();
        }
    }
}
