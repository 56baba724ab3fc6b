package io.sdp4j.offload;

import io.sdp4j.policy.Environment;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which attempts run beside the application's: daemons, started when needed, gone
 * after a while. A thread of the application waits for one of them only in a {@link
 * BoundedAttempt}, a blocking {@code finishConnect}, or a future of an asynchronous channel.
 */
public final class ConnectThreads {
    /**
     * Attempts at a time. An attempt is short or waits for a peer; more of them would only wait for
     * each other. With 32, a live peer behind 90 silent ones on the one processor of a lab host was
     * reached no sooner over soft-RoCE, and a blocking connect beside them took 6 s instead of 1.
     */
    static final int THREADS = 8;

    private static final int MOST_APART = 64;
    private static final long IDLE_SECONDS = 10;
    private static final ThreadPoolExecutor POOL = pool(THREADS);

    /**
     * Apart from {@link #POOL}, so that no connect queues behind moves, for which no call waits.
     */
    private static final ThreadPoolExecutor MOVES = pool(THREADS);

    /**
     * A pool of its own, so that tasks which wait for no peer do not queue behind those that do.
     */
    private static final ThreadPoolExecutor SHORT = pool(1);

    /**
     * Has no queue, so that no task waits for the end of another: that one may wait for the
     * application, which may wait for the queued task.
     */
    private static final ThreadPoolExecutor APART =
            new ThreadPoolExecutor(
                    0,
                    MOST_APART,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    daemons("sdp4j-handler")
                            .factory()); // its tasks call the application's handlers

    private ConnectThreads() {}

    /**
     * Waits for the time of moves. Not a delayed executor of the JDK's: that one changes the
     * program's common pool.
     */
    private static final class Later {
        static final ScheduledThreadPoolExecutor TIMER =
                new ScheduledThreadPoolExecutor(1, daemons("sdp4j-connect").factory());

        static {
            TIMER.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            TIMER.allowCoreThreadTimeOut(true);
        }
    }

    private static ThreadPoolExecutor pool(int threads) {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        daemons("sdp4j-connect").uncaughtExceptionHandler(new Failed()).factory());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    /** They hold nothing of their caller's: their context class loader is the system's. */
    private static Thread.Builder.OfPlatform daemons(String name) {
        return Thread.ofPlatform()
                .group(Environment.topGroup())
                .daemon()
                .name(name)
                .inheritInheritableThreadLocals(false);
    }

    /** Logs the failure of a task of ours, of which the application's handler must not hear. */
    private static final class Failed implements Thread.UncaughtExceptionHandler {
        @Override
        public void uncaughtException(Thread thread, Throwable e) {
            OffloadSwitch.Log.OUT.warn("a task of {} failed", thread.getName(), e);
        }
    }

    /**
     * Runs an attempt on a thread of the pool.
     *
     * @return false if the system has no thread for it; then it does not run
     */
    public static boolean start(Runnable attempt) {
        return start(POOL, attempt);
    }

    /** As {@link #start(Runnable)}, for the move of a connection that is on TCP meanwhile. */
    static boolean startMove(Runnable attempt) {
        return start(MOVES, attempt);
    }

    /** As {@link #startMove}, in {@code nanos}; not at all if the system has no thread for it. */
    static void startMoveLater(Runnable attempt, long nanos) {
        try {
            ScheduledFuture<?> _ =
                    Later.TIMER.schedule(() -> startMove(attempt), nanos, TimeUnit.NANOSECONDS);
        } catch (OutOfMemoryError e) {
            // the application's next call asks
        }
    }

    /** As {@link #start(Runnable)}, for a task that does not wait for a peer. */
    public static boolean startShort(Runnable task) {
        return start(SHORT, task);
    }

    /**
     * Runs a task that may wait for anything, on a platform thread of its own. It gets a virtual
     * thread only if too many such tasks run already or the system has no thread: the application's
     * virtual threads may occupy all carriers while they wait for this task.
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
