package io.sdp4j.shim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;

/**
 * The thread that starts the switch for sockets and channels that were made without it, and has the
 * switch go on with them: at once for a connection that has carried enough, later for a listener. A
 * listener waits until the switch has started anyway, or the program rests, because a busy program
 * has better use for its processors. It waits 5 s at most, as a client may require offload.
 *
 * <p>There is one such thread at a time, which ends when no task is left. Tasks keep their order,
 * so listeners come before the connections that they have accepted. {@code LOCK} guards every
 * field.
 */
final class EarlyStart implements Runnable {
    private static final long LOOK_MILLIS = 1000;

    /** The program rests if it has used less than 1/{@value} of a processor. */
    private static final int REST_PART = 4;

    private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Object LOCK = new Object();
    private static final ArrayDeque<Runnable> TASKS = new ArrayDeque<>();
    private static boolean running; // there is a thread, or it is about to start
    private static boolean wanted; // tasks do not wait any more

    private EarlyStart() {}

    /**
     * Takes a task.
     *
     * @param goOn starts the switch if necessary, which goes on with a socket or channel
     * @param now whether the task need not wait until the program rests
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
        try {
            ThreadGroup top = NativeTransports.topGroup();
            Thread thread = new Thread(top, new EarlyStart(), "sdp4j-start", 0, false);
            thread.setDaemon(true);
            thread.setContextClassLoader(null);
            thread.start();
        } catch (OutOfMemoryError e) { // no thread: the next task tries again
            synchronized (LOCK) {
                running = false;
            }
        }
    }

    /** Ends the wait of all tasks, as the switch is needed or has started. */
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
        try {
            awaitRest();
        } catch (Throwable e) {
            // no memory to measure with: the tasks run now
        }
        for (Runnable goOn = next(); goOn != null; goOn = next()) {
            try {
                goOn.run();
            } catch (Throwable e) { // the other tasks still run
                Console.say("a socket stays on kernel TCP: " + Console.cause(e));
            }
            Console.printSaid();
        }
    }

    /** Returns the next task; null = no task is left, and the thread ends. */
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
                    return; // the task starts the switch now, as no other thread would
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

    /**
     * Returns the processor time that this JVM has used; it grows in steps of hundredths of a
     * second.
     */
    private static long usedNanos() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
    }
}
