package io.sdp4j.offload;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which attempts run beside the application's: daemons, started when needed, gone
 * after a while. A thread of the application waits for one of them only in a {@link
 * BoundedAttempt}, a blocking {@code finishConnect}, or a future of an asynchronous channel.
 */
public final class ConnectThreads {
    /**
     * An attempt is short or waits for a peer; more at a time would only wait for each other. With
     * 32, a live peer behind 90 silent ones on the one processor of a lab host was reached no
     * sooner over soft-RoCE, and a blocking connect beside them took 6 s instead of 1.
     */
    static final int THREADS = 8;

    private static final int MOST_APART = 64;
    private static final long IDLE_SECONDS = 10;
    private static final ThreadPoolExecutor POOL = pool(THREADS);

    /** Apart: what waits for no peer is not to wait behind what does. */
    private static final ThreadPoolExecutor SHORT = pool(1);

    /** No task waits for another one's end: it may wait for the application, which waits for it. */
    private static final ThreadPoolExecutor APART =
            new ThreadPoolExecutor(
                    0,
                    MOST_APART,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    daemons("sdp4j-handler"));

    private ConnectThreads() {}

    private static ThreadPoolExecutor pool(int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        daemons("sdp4j-connect"));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** They hold nothing of their caller's: their context class loader is the system's. */
    private static ThreadFactory daemons(String name) {
        return Thread.ofPlatform()
                .daemon()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .factory();
    }

    /** Whether {@code attempt} will run: not where the system has no thread for it. */
    public static boolean start(Runnable attempt) {
        return start(POOL, attempt);
    }

    /** The same of a task that does not wait for a peer. */
    public static boolean startShort(Runnable task) {
        return start(SHORT, task);
    }

    /**
     * Runs a task that may wait for whatever it likes. Not on a virtual thread, unless there are
     * too many or the system has no other: the application's may have all carriers, and wait for
     * this very task.
     */
    public static void startApart(Runnable task) {
        if (!start(APART, task)) {
            Thread.ofVirtual()
                    .name("sdp4j-handler")
                    .inheritInheritableThreadLocals(false)
                    .start(task);
        }
    }

    private static boolean start(ThreadPoolExecutor pool, Runnable task) {
        try {
            pool.execute(task);
            return true;
        } catch (OutOfMemoryError | RejectedExecutionException e) {
            return false;
        }
    }
}
