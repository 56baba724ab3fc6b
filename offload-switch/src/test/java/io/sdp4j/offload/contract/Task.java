package io.sdp4j.offload.contract;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call that runs on a thread of its own; nothing waits for it for ever. */
public final class Task<T> {
    /** Both kinds of thread that may stand at a socket. */
    public enum Kind {
        PLATFORM,
        VIRTUAL
    }

    private static final int PATIENCE_SECONDS = 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

    private final FutureTask<T> future;
    private final Thread thread;

    private Task(Kind kind, Callable<T> call) {
        future = new FutureTask<>(call);
        thread =
                kind == Kind.VIRTUAL
                        ? Thread.ofVirtual().start(future)
                        : Thread.ofPlatform().daemon().start(future);
    }

    public static <T> Task<T> start(Kind kind, Callable<T> call) {
        return new Task<>(kind, call);
    }

    public static <T> Task<T> start(Callable<T> call) {
        return new Task<>(Kind.PLATFORM, call);
    }

    public Thread thread() {
        return thread;
    }

    public boolean done() {
        return future.isDone();
    }

    /** Whether the thread is in a method, or in one of a class, of that name. */
    public boolean isIn(String place) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(f -> place.equals(f.getMethodName()) || place.equals(f.getClassName()));
    }

    public T get() throws Exception {
        return getWithin(PATIENCE_SECONDS);
    }

    /** As {@link #get}, of a call that bounds its own steps, of which there are many. */
    public T getWithin(int seconds) throws Exception {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            throw e;
        } catch (TimeoutException e) {
            throw new AssertionError("still at " + Arrays.toString(thread.getStackTrace()), e);
        }
    }

    /** Exception of the call. */
    public Throwable thrown() throws Exception {
        try {
            T value = future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            return fail("returned " + value);
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (TimeoutException e) {
            throw new AssertionError("still at " + Arrays.toString(thread.getStackTrace()), e);
        }
    }

    /** Returns once the thread has stood at the same place for a while. */
    public void awaitBlocked() throws InterruptedException {
        awaitBlocked(5);
    }

    /**
     * The same with other pauses between the looks: shorter ones where a thread that does not stand
     * yet, as a busy machine keeps it from running, does no harm.
     */
    public void awaitBlocked(int pauseMillis) throws InterruptedException {
        StackTraceElement[] before = {};
        int same = 0;
        long start = System.nanoTime();
        // a busy machine may let it wait for its first instruction
        while (same < 4 && !done() && System.nanoTime() - start < PATIENCE_NANOS) {
            TimeUnit.MILLISECONDS.sleep(pauseMillis);
            StackTraceElement[] now = thread.getStackTrace();
            boolean stands = now.length > 3 && Arrays.equals(before, now) && !virtualRuns();
            same = stands ? same + 1 : 0;
            before = now;
        }
        assertTrue(!done(), "over already");
        assertTrue(same >= 4, "never idle");
    }

    /** A platform thread that waits in a native call counts as running; a virtual one parks. */
    private boolean virtualRuns() {
        return thread.isVirtual() && thread.getState() == Thread.State.RUNNABLE;
    }
}
