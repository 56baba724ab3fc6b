package io.sdp4j.offload.aio;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets any number of threads use something until it is closed, and tells when the last one has
 * left.
 *
 * <p>Shape: {@code state} counts the users; its sign bit is set for good by {@link #close}. Lock
 * free, allocates nothing, never waits.
 */
final class Gate {
    private static final int CLOSED = Integer.MIN_VALUE;

    private final AtomicInteger state = new AtomicInteger();
    private final Runnable whenIdle; // called once, after close, when no user is left

    Gate(Runnable whenIdle) {
        this.whenIdle = whenIdle;
    }

    /** Whether the caller may go on; then it must {@link #leave}. */
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

    /** Lets no thread in any more; idempotent. */
    void close() {
        if (state.getAndUpdate(s -> s | CLOSED) == 0) {
            whenIdle.run();
        }
    }
}
