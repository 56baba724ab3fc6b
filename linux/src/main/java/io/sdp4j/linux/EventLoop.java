package io.sdp4j.linux;

import java.util.function.Consumer;

/**
 * A daemon thread that serves connections without a thread of their own: it runs event handlers of
 * fabrics, timers and short tasks. The thread starts at its first use. Thread-safe.
 *
 * <p>Tasks must be short and must not block. An exception of a task goes to the sink given at the
 * start and does not end the loop.
 */
public interface EventLoop {
    /**
     * Returns a loop: an {@link EpollLoop} if native access is granted, otherwise one for tasks and
     * timers only.
     *
     * @param name of the thread
     * @param sink gets the exceptions of tasks and handlers; must not throw
     */
    static EventLoop start(String name, Consumer<Throwable> sink) {
        return NativeAccess.granted() ? new EpollLoop(name, sink) : new ParkingLoop(name, sink);
    }

    /** Runs {@code task} soon on the loop's thread. */
    void execute(Runnable task);

    /** Runs {@code task} on the loop's thread: at once if called on that thread, else soon. */
    default void runInLoop(Runnable task) {
        if (inLoop()) {
            task.run();
        } else {
            execute(task);
        }
    }

    /** Runs {@code task} on the loop's thread in {@code delayNanos} or a little later. */
    Timer schedule(Runnable task, long delayNanos);

    /** Whether the calling thread is the loop's. */
    boolean inLoop();

    /**
     * Ends the loop's thread, which cannot be started again. Returns when the thread has ended or
     * after 100 ms. For the end of the JVM, which would wait longer for a thread in native code.
     */
    void end();

    /**
     * A task or timer that may be run again after it stopped anywhere. The loop runs it again when
     * memory ran out in it.
     */
    @FunctionalInterface
    interface Repeatable extends Runnable {}

    /** A scheduled task. */
    interface Timer {
        /** Prevents the task from running if it has not started. Idempotent. */
        void cancel();
    }
}
