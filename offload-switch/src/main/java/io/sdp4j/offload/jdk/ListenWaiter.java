package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;

/**
 * Waits for two things at once: a connection at a kernel listener, and a signal from somebody else.
 *
 * <p>Shape: an epoll descriptor over {listening socket, eventfd}, waited for as the JDK waits for
 * its own sockets, so that virtual threads park. {@code signalled} saves system calls: the eventfd
 * is written once until {@link #consume} has emptied it.
 *
 * <p>Thread-safety: {@link #signal} is for anybody at any time, also after {@link #close}; the rest
 * is for the one thread that accepts, and {@code close} for whoever knows that nobody does.
 */
public final class ListenWaiter {
    private final FileDescriptor listening;
    private final EventDescriptor event;
    private final int epollVal;
    private final FileDescriptor epoll;
    private final Object lock = new Object();
    private boolean signalled; // lock
    private boolean closed; // lock

    public ListenWaiter(KernelSocket listener) throws IOException {
        listening = listener.fileDescriptor();
        event = new EventDescriptor();
        boolean complete = false;
        try {
            epollVal = JdkBridge.epollOf(JdkBridge.value(listening), event.fdVal());
            complete = true;
        } finally {
            if (!complete) {
                event.close();
            }
        }
        epoll = JdkBridge.descriptor(epollVal);
    }

    /** Ends the wait that runs now or, if none does, the next one. Does not block. */
    public void signal() {
        synchronized (lock) {
            if (!signalled && !closed) {
                signalled = true;
                try {
                    event.set();
                } catch (IOException e) {
                    throw new IllegalStateException("an eventfd cannot be written", e);
                }
            }
        }
    }

    /** Forgets the signals so far; look at what they stand for after this, not before. */
    public void consume() throws IOException {
        synchronized (lock) {
            if (signalled && !closed) {
                event.reset();
                signalled = false;
            }
        }
    }

    /** Whether the kernel's listener has a connection now. */
    public boolean kernelReady() throws IOException {
        return JdkBridge.readable(listening);
    }

    /**
     * Waits for either source. May return early.
     *
     * @param nanos upper bound; 0 or less = none
     */
    public void await(long nanos) throws IOException {
        JdkBridge.park(epoll, epollVal, nanos, () -> true);
    }

    /** Releases both descriptors; idempotent. Nobody may be waiting. */
    public void close() throws IOException {
        synchronized (lock) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try {
            JdkBridge.closeDescriptor(epollVal);
        } finally {
            event.close();
        }
    }
}
