package io.sdp4j.offload.jdk;

import java.io.IOException;

/**
 * Waits for two things at once: a connection at a kernel listener, and a signal from another
 * thread.
 *
 * <p>Thread-safety: {@link #signal} is for anybody at any time, also after {@link #close}; the rest
 * is for the one thread that accepts, and {@code close} for a caller that knows that no thread
 * accepts.
 */
public interface ListenWaiter {
    /** Ends the wait that runs now or, if none does, the next one. Does not block. */
    void signal();

    /** Forgets the signals so far; look at what they stand for after this, not before. */
    void consume() throws IOException;

    /** Whether the kernel's listener has a connection now. */
    boolean kernelReady() throws IOException;

    /**
     * Waits for either source, on platform threads without noticing interrupts. May return early.
     *
     * @param nanos upper bound; 0 or less = none
     */
    void await(long nanos) throws IOException;

    /** Releases what the wait needs; idempotent. No thread may be waiting. */
    void close() throws IOException;
}
