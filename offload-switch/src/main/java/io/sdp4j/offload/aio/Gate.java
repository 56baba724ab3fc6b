package io.sdp4j.offload.aio;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets any number of threads use a resource until the gate is closed, then runs an action when the
 * last thread has left.
 *
 * <p>Shape: {@code state} counts the users; {@link #close} sets its sign bit, which stays set.
 * Thread-safe and lock-free; allocates nothing, never waits.
 */
final class Gate {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger state = new AtomicInteger();
    private final Runnable whenIdle; // called once, after close, when no user is left

    Gate(Runnable whenIdle) {
        this.whenIdle = whenIdle;
    }

    /** Returns whether the caller may use the resource; if so, it must {@link #leave}. */
    boolean enter() {
        int seen = state.get();
        while (seen >= 0) {
            int was = state.compareAndExchange(seen, seen + 1);
            if (was == seen) {
                return true;
            }
            seen = was;
        }
        return false;
    }

    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            whenIdle.run();
        }
    }

    boolean closed() {
        return state.get() < 0;
    }

    /** Admits no thread any more. Idempotent. */
    void close() {
        if (state.getAndUpdate(s -> s | CLOSED) == 0) {
            whenIdle.run();
        }
    }
}
