package io.sdp4j.offload;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads on which attempts run that no application thread waits for: daemons, started when
 * needed, gone after a while.
 */
public final class ConnectThreads {
    /**
     * An attempt is short or waits for a peer; more at a time would only wait for each other. With
     * 32, a live peer behind 90 silent ones on the one processor of a lab host was reached no
     * sooner over soft-RoCE, and a blocking connect beside them took 6 s instead of 1.
     */
    private static final int THREADS = 8;

    private static final long IDLE_SECONDS = 10;
    private static final ThreadPoolExecutor POOL = pool();

    /** Made when something has to wait. */
    private static final class Delays {
        /** One thread, which waits and does the work. */
        static final ScheduledThreadPoolExecutor EXECUTOR =
                new ScheduledThreadPoolExecutor(1, new Daemons());

        static {
            EXECUTOR.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
            EXECUTOR.allowCoreThreadTimeOut(true);
        }

        private Delays() {}
    }

    private ConnectThreads() {}

    private static ThreadPoolExecutor pool() {
        ThreadPoolExecutor pool =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new Daemons());
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    private static final class Daemons implements ThreadFactory {
        @Override
        public Thread newThread(Runnable work) {
            Thread t =
                    Thread.ofPlatform()
                            .daemon()
                            .name("sdp4j-connect")
                            .inheritInheritableThreadLocals(false)
                            .unstarted(work);
            t.setContextClassLoader(null);
            return t;
        }
    }

    public static void start(Runnable attempt) {
        POOL.execute(attempt);
    }

    /**
     * After a while, one at a time: for work that is short or seldom.
     *
     * @param nanos 0 = at once, as {@link #start}
     */
    static void startAfter(long nanos, Runnable work) {
        if (nanos == 0) {
            start(work);
        } else {
            var _ = Delays.EXECUTOR.schedule(work, nanos, TimeUnit.NANOSECONDS);
        }
    }
}
