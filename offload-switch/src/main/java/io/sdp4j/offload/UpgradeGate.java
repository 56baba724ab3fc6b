package io.sdp4j.offload;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Keeps connections on TCP while too many threads of the machine wait for a processor: the
 * compilers of the JVM then wait, too, and until they have compiled the code of a connection that
 * has moved, it is slower than TCP (docs/decisions/0016-no-moves-in-a-crowd.md). Thread-safe.
 */
final class UpgradeGate {
    /** Runnable threads for each processor from which on no connection moves. */
    static final int CROWD = 16;

    /** How long a connection waits that may not move, before it asks again. */
    static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The threads are counted at most so often. */
    static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** Weight of the average against a new count; counts vary by half. */
    private static final int MEMORY = 8;

    private final IntSupplier runnable; // threads of the machine that run or want to
    private final int most; // of them
    private double average = -1; // this; negative before the first look
    private long lookedNanos; // this

    UpgradeGate(IntSupplier runnable, int processors) {
        this.runnable = runnable;
        this.most = CROWD * processors;
    }

    /** In a class of its own: making it takes milliseconds, and most programs never ask. */
    static final class OfMachine {
        /** The gate of this machine, open where the kernel does not tell. */
        static final UpgradeGate GATE = new UpgradeGate(UpgradeGate::runnableThreads, processors());
    }

    /**
     * Whether connections may move now. May read a file.
     *
     * @param nowNanos {@link System#nanoTime}
     */
    synchronized boolean isOpen(long nowNanos) {
        if (average < 0) {
            average = runnable.getAsInt();
            lookedNanos = nowNanos;
        } else if (nowNanos - lookedNanos >= LOOK_NANOS) {
            average += (runnable.getAsInt() - average) / MEMORY;
            lookedNanos = nowNanos;
        }
        return average <= most;
    }

    /** The fourth field of {@code /proc/loadavg}, before its slash. */
    private static int runnableThreads() {
        try {
            String count = Files.readString(Path.of("/proc/loadavg")).split(" ", 5)[3];
            return Integer.parseInt(count.substring(0, count.indexOf('/')));
        } catch (IOException | IndexOutOfBoundsException | NumberFormatException e) {
            return 0;
        }
    }

    /** All that are online, as the threads are those of all containers. */
    private static int processors() {
        try (var lines = Files.lines(Path.of("/proc/stat"))) {
            return (int) Math.max(1, lines.filter(l -> l.matches("cpu\\d+ .*")).count());
        } catch (IOException | UncheckedIOException e) {
            return Runtime.getRuntime().availableProcessors();
        }
    }
}
