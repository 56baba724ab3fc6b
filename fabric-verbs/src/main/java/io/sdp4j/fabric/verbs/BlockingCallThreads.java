package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.DaemonThread;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Platform daemon threads for calls that may wait for the peer longer than our caller wants to: as
 * many as there are such calls. One that is idle serves the next, because starting one may take
 * longer than the rest of connecting; it ends after a short idle time. Thread-safe.
 */
final class BlockingCallThreads {
    private static final long IDLE_SECONDS = 5;

    private final ThreadPoolExecutor pool =
            new ThreadPoolExecutor(
                    0,
                    Integer.MAX_VALUE,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    task -> DaemonThread.of("sdp4j-connect", task));

    /** Has {@code call} run at once; -1 is the result of one that throws. */
    CompletableFuture<Integer> run(IntSupplier call) {
        CompletableFuture<Integer> done = new CompletableFuture<>();
        pool.execute(
                () -> {
                    int result = -1;
                    try {
                        result = call.getAsInt();
                    } finally {
                        done.complete(result);
                    }
                });
        return done;
    }
}
