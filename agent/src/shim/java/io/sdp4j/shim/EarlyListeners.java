package io.sdp4j.shim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Listeners that listen before the switch has started, and the thread that starts it for them: when
 * one of their connections has carried enough, when something else has started it, or when the
 * program rests. A busy program has better use for its processors, but not for long: a client may
 * require offload.
 *
 * <p>{@code LOCK} guards every field; nothing but a wait for it blocks while holding it.
 */
final class EarlyListeners implements Runnable {
    private static final long LOOK_MILLIS = 1000;

    /** The program rests if it has used less of a processor than one part of so many. */
    private static final int REST_PART = 4;

    private static final long LATEST_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final Object LOCK = new Object();
    private static final List<Runnable> WAITING = new ArrayList<>();
    private static boolean begun; // the thread is there
    private static boolean wanted; // now
    private static boolean over; // the switch has gone on with all, or could not start

    private EarlyListeners() {}

    /**
     * Takes one.
     *
     * @param goOn goes on with it once the switch has started, or could not
     */
    static void add(Runnable goOn) {
        synchronized (LOCK) {
            if (!over) {
                WAITING.add(goOn);
                if (!begun) {
                    begun = true;
                    thread(new EarlyListeners());
                }
                return;
            }
        }
        thread(goOn);
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(null, work, "sdp4j-start", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        thread.start();
    }

    /** The switch has started. */
    static void started() {
        synchronized (LOCK) {
            wanted = true;
            LOCK.notifyAll();
        }
    }

    /** Starts the switch, and waits until it has gone on with the listeners. */
    static void goOn() {
        boolean interrupted = false;
        synchronized (LOCK) {
            started();
            while (begun && !over) {
                try {
                    LOCK.wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            awaitRest();
        } catch (InterruptedException e) {
            // starts it, as no other thread will
        }
        for (List<Runnable> some = take(); !some.isEmpty(); some = take()) {
            for (Runnable goOn : some) {
                goOnWith(goOn);
            }
        }
    }

    private static void goOnWith(Runnable one) {
        try {
            one.run();
        } catch (RuntimeException | LinkageError | OutOfMemoryError e) { // others wait for the end
            Boot.say("a listener stays on kernel TCP: " + Boot.cause(e));
        }
    }

    /** Those that wait. If there are none, nothing will be left to this thread any more. */
    private static List<Runnable> take() {
        synchronized (LOCK) {
            List<Runnable> some = List.copyOf(WAITING);
            WAITING.clear();
            if (some.isEmpty()) {
                over = true;
                LOCK.notifyAll();
            }
            return some;
        }
    }

    private static void awaitRest() throws InterruptedException {
        long startNanos = System.nanoTime();
        long usedNanos = usedNanos();
        synchronized (LOCK) {
            while (!wanted && System.nanoTime() - startNanos < LATEST_NANOS) {
                long lookedNanos = System.nanoTime();
                LOCK.wait(LOOK_MILLIS);
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
