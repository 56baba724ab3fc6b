package io.sdp4j.linux;

import java.util.function.Consumer;

/**
 * The one daemon thread that waits for connections without a thread of their own: it runs fabrics'
 * event handlers, timers and short tasks. Started at its first use. Thread-safe.
 *
 * <p>Tasks must be short and must not block; what one throws is told to the sink given at the start
 * and does not end the loop.
 */
public interface EventLoop {
    /**
     * A loop whose one daemon thread starts at its first use: an {@link EpollLoop} if native access
     * is granted, otherwise one that knows tasks and timers only.
     *
     * @param name of the thread
     * @param sink told what tasks and handlers throw; must not throw
     */
    static EventLoop start(String name, Consumer<Throwable> sink) {
        return NativeAccess.granted() ? new EpollLoop(name, sink) : new ParkingLoop(name, sink);
    }

    /** Runs {@code task} soon on the loop's thread. */
    void execute(Runnable task);

    /** Runs {@code task} on the loop's thread: at once if that is the calling one, else soon. */
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
     * Ends the loop's thread for good, and returns when it has left native code or 100 ms have
     * passed. For the end of the JVM, which waits longer for a thread in native code.
     */
    void end();

    /**
     * A task or timer that may be run again wherever it stopped: it is while memory runs out in it.
     */
    @FunctionalInterface
    interface Repeatable extends Runnable {}

    /** A task that waits for its time. */
    interface Timer {
        /** Prevents the task from running if it has not started. Idempotent. */
        void cancel();
    }
}
