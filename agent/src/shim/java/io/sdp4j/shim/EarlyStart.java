package io.sdp4j.shim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The thread that starts the switch for what was made without it, and goes on with that: with a
 * connection that has carried enough at once; with listeners when the switch has started anyway, or
 * the program rests. A busy program has better use for its processors, but not for long: a client
 * may require offload.
 *
 * <p>One thread after the other, each gone when nothing is left; tasks keep their order, so
 * listeners come before what they have accepted. {@code LOCK} guards every field.
 */
final class EarlyStart implements Runnable {
    private static final long LOOK_MILLIS = 1000;

    /** The program rests if it has used less of a processor than one part of so many. */
    private static final int REST_PART = 4;

    private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Object LOCK = new Object();
    private static final ArrayDeque<Runnable> TASKS = new ArrayDeque<>();
    private static boolean running; // a thread
    private static boolean wanted; // the switch, from now on

    private EarlyStart() {}

    /**
     * Takes a task.
     *
     * @param goOn starts the switch if need be, and goes on with something
     * @param now whether that need not wait until the program rests
     */
    static void add(Runnable goOn, boolean now) {
        synchronized (LOCK) {
            TASKS.addLast(goOn);
            if (now) {
                wanted = true;
                LOCK.notifyAll();
            }
            if (running) {
                return;
            }
            running = true;
        }
        begin();
    }

    private static void begin() {
        Thread thread = new Thread(null, new EarlyStart(), "sdp4j-start", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // no thread: what comes next tries again
            synchronized (LOCK) {
                running = false;
            }
        }
    }

    /** The switch is needed, or has started: no task waits any more. */
    static void wanted() {
        synchronized (LOCK) {
            wanted = true;
            LOCK.notifyAll();
            if (running || TASKS.isEmpty()) {
                return;
            }
            running = true;
        }
        begin();
    }

    @Override
    public void run() {
        awaitRest();
        for (Runnable goOn = next(); goOn != null; goOn = next()) {
            try {
                goOn.run();
            } catch (Throwable e) { // others follow
                Boot.say("a socket stays on kernel TCP: " + Boot.cause(e));
            }
        }
    }

    /** Null = nothing is left to this thread. */
    private static Runnable next() {
        synchronized (LOCK) {
            wanted = true;
            running = !TASKS.isEmpty();
            return TASKS.pollFirst();
        }
    }

    private static void awaitRest() {
        long startNanos = System.nanoTime();
        long usedNanos = usedNanos();
        synchronized (LOCK) {
            while (!wanted && System.nanoTime() - startNanos < LATEST_NANOS) {
                long lookedNanos = System.nanoTime();
                try {
                    LOCK.wait(LOOK_MILLIS);
                } catch (InterruptedException e) {
                    return; // and start it, as no other thread will
                }
                long now = usedNanos();
                long lasted = System.nanoTime() - lookedNanos;
                if (lasted >= TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS)
                        && now - usedNanos < lasted / REST_PART) {
                    return;
                }
                usedNanos = now;
            }
        }
    }

    /** Of the processors, by this JVM; grows by hundredths of a second. */
    private static long usedNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }
}
