package io.sdp4j.agent.log;

import io.sdp4j.offload.jdk.LastHook;
import io.sdp4j.policy.Environment;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * Writes to the application's logging and to standard error, in order. Both may block: a thread
 * that holds a handler's lock may wait for the thread that logs. So no other thread of ours waits
 * for them; if there is too much to write, lines are dropped and counted.
 *
 * <p>The thread starts with a line, and ends when none has come for {@value #IDLE_MILLIS} ms. The
 * end of the JVM waits for it, for a second at most. Logging that a shutdown hook closes, like that
 * of the JDK, may lose the last lines: the hooks start together, and no task can run before them.
 * {@code this} guards every field; nothing blocks while holding it.
 */
final class LogThread implements Runnable {
    /** Most lines that wait. */
    static final int MOST = 8192;

    private static final long IDLE_MILLIS = 1000;
    private static final long LAST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ArrayDeque<Runnable> lines = new ArrayDeque<>();
    private long dropped;
    private boolean writing;
    private boolean hooked;
    private Thread thread; // null = none runs

    /**
     * Takes a line.
     *
     * @param line a task that writes the line
     */
    synchronized void add(Runnable line) {
        if (lines.size() == MOST) {
            dropped++;
        } else {
            lines.add(line);
            notifyAll();
        }
        if (thread == null) {
            start();
        }
    }

    private void start() {
        assert Thread.holdsLock(this);
        if (!hooked) {
            hooked = true;
            boolean _ = LastHook.add(() -> await(LAST_NANOS));
        }
        Thread next = new Thread(Environment.topGroup(), this, "sdp4j-log", 0, false);
        next.setDaemon(true);
        next.setContextClassLoader(ClassLoader.getSystemClassLoader()); // logging looks there
        try {
            next.start();
            thread = next;
        } catch (OutOfMemoryError e) {
            // no thread: the next line tries again
        }
    }

    /** Whether the calling thread is the one that writes; records that it logs are dropped. */
    synchronized boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    @Override
    public void run() {
        try {
            for (Runnable line = next(); line != null; line = next()) {
                line.run();
            }
        } finally {
            end();
        }
    }

    private synchronized Runnable next() {
        writing = false;
        notifyAll();
        if (lines.isEmpty() && dropped == 0) {
            try {
                TimeUnit.MILLISECONDS.timedWait(this, IDLE_MILLIS); // may end early: harmless
            } catch (InterruptedException e) {
                // a handler of the application did that: acts as if the time were over
            }
        }
        Runnable line = lines.poll();
        if (line == null && dropped > 0) {
            long count = dropped;
            dropped = 0;
            line = () -> LogSink.writeDropped(count);
        }
        writing = line != null;
        return line;
    }

    private synchronized void end() {
        writing = false;
        thread = null;
        notifyAll();
        if (!lines.isEmpty()) {
            start();
        }
    }

    /** Waits until all lines are written. Returns false if the time was too short. */
    synchronized boolean await(long nanos) {
        long startNanos = System.nanoTime();
        while (writing || !lines.isEmpty() || dropped > 0) {
            long left = nanos - (System.nanoTime() - startNanos);
            if (left <= 0) {
                return false;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                return false;
            }
        }
        return true;
    }
}
