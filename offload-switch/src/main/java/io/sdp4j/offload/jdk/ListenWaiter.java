package io.sdp4j.offload.jdk;

import java.io.IOException;

/**
 * Waits for two things at once: a connection at a kernel listener, and a signal from another
 * thread.
 *
 * <p>Thread-safety: any thread may call {@link #signal} at any time, also after {@link #close}. The
 * other methods are for the one thread that accepts, {@code close} for a caller that knows that no
 * thread accepts.
 */
public interface ListenWaiter {
    /** Ends the wait that runs now or, if none does, the next one. Does not block. */
    void signal();

    /** Forgets the signals so far. Callers look for their cause after this, not before. */
    void consume() throws IOException;

    /** Whether the kernel's listener has a connection now. */
    boolean kernelReady() throws IOException;

    /**
     * Waits for a connection or a signal. May return early. Platform threads do not notice
     * interrupts.
     *
     * @param nanos upper bound; 0 or less = none
     */
    void await(long nanos) throws IOException;

    /** Releases the resources of the wait; idempotent. No thread may be waiting. */
    void close() throws IOException;
}
