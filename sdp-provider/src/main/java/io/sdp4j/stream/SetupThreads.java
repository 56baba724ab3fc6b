package io.sdp4j.stream;

import io.sdp4j.api.ReasonCode;
import io.sdp4j.linux.DaemonThread;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/**
 * Platform daemon threads that set up connections for those who must not block in native code:
 * virtual threads, and the event thread. They end after a short idle time. Thread-safe.
 */
final class SetupThreads {
    /** So many that a carrier of virtual threads is hardly ever held by an attempt. */
    private static final int MAX_THREADS = 256;

    private static final int MAX_LATER = 4;
    private static final long IDLE_SECONDS = 5;

    private final ThreadFactory threads = task -> DaemonThread.of("sdp4j-setup", task);

    private final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(
                    0,
                    MAX_THREADS,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    threads,
                    // All busy: the calling thread does it; pinning is better than waiting for
                    // others' time-outs.
                    new ThreadPoolExecutor.CallerRunsPolicy());

    /** For work that may wait for its turn. */
    private final ThreadPoolExecutor queued =
            new ThreadPoolExecutor(
                    MAX_LATER,
                    MAX_LATER,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(),
                    threads);

    SetupThreads() {
        queued.allowCoreThreadTimeOut(true);
    }

    /** Runs {@code work} soon, and does not wait for it. {@code work} must not throw. */
    void later(Runnable work) {
        queued.execute(work);
    }

    /** Work that can be given up. */
    @FunctionalInterface
    interface Work<T> {
        /**
         * Does it.
         *
         * @param givenUp whether the result is not wanted any more; any thread
         */
        T run(BooleanSupplier givenUp) throws OffloadUnavailable;
    }

    /**
     * Runs {@code work} on a platform thread and waits until it has ended. An interrupt of the
     * caller, which is a virtual thread, gives it up.
     *
     * @param abandoned whether it is given up for another reason; any thread
     */
    <T> T call(BooleanSupplier abandoned, Work<T> work) throws OffloadUnavailable {
        // The question is about the caller's flag, which is clear once the caller was told.
        AtomicBoolean told = new AtomicBoolean();
        FutureTask<T> task =
                new FutureTask<>(() -> work.run(() -> told.get() || abandoned.getAsBoolean()));
        try {
            pool.execute(task);
        } catch (OutOfMemoryError e) { // the system has no thread: as when all are busy
            task.run();
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                    told.set(true);
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof OffloadUnavailable u) {
                        throw u;
                    }
                    throw new OffloadUnavailable(
                            ReasonCode.INTERNAL, "set-up failed: " + e.getCause(), false, e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
