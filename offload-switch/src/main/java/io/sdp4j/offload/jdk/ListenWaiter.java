package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;

/**
 * Waits for two things at once: a connection at a kernel listener, and a signal from another
 * thread. Waits as the JDK waits for its own sockets, so that virtual threads park.
 *
 * <p>Thread-safety: any thread may call {@link #signal} at any time, also after {@link #close}. The
 * other methods are for the one thread that accepts, {@code close} for a caller that knows that no
 * thread accepts.
 */
public final class ListenWaiter {
    private final FileDescriptor listening; // of the kernel's listener, which the caller closes
    private final ReadinessEpoll epoll;

    ListenWaiter(FileDescriptor listening) throws IOException {
        this.listening = listening;
        this.epoll = new ReadinessEpoll(JdkBridge.value(listening));
    }

    /** Ends the wait that runs now or, if none does, the next one. Does not block. */
    public void signal() {
        epoll.raise();
    }

    /** Forgets the signals so far. Callers look for their cause after this, not before. */
    public void consume() {
        epoll.lower();
    }

    /** Whether the kernel's listener has a connection now. */
    public boolean kernelReady() throws IOException {
        return JdkClasses.CHANNELS.poll(listening, JdkBridge.POLLIN, 0) != 0;
    }

    /**
     * Waits for a connection or a signal. May return early. Platform threads do not notice
     * interrupts.
     *
     * @param nanos upper bound; 0 or less = none
     */
    public void await(long nanos) throws IOException {
        if (Thread.currentThread().isVirtual()) {
            long most = Math.max(nanos, 0);
            JdkClasses.CHANNELS.park(epoll.value(), JdkBridge.POLLIN, most, () -> true);
        } else {
            long millis = nanos <= 0 ? -1 : (nanos + 999_999) / 1_000_000;
            int _ = JdkClasses.CHANNELS.poll(epoll.descriptor(), JdkBridge.POLLIN, millis);
        }
    }

    /** Releases the resources of the wait; idempotent. No thread may be waiting. */
    public void close() throws IOException {
        epoll.close();
    }
}
