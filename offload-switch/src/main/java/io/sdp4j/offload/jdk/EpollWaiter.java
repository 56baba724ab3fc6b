package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;

/**
 * Waits with the JDK's own means.
 *
 * <p>Shape: an epoll descriptor over {listening socket, eventfd}, waited for as the JDK waits for
 * its own sockets, so that virtual threads park. {@code signalled} saves system calls: the eventfd
 * is written once until {@link #consume} has emptied it.
 */
public final class EpollWaiter implements ListenWaiter {
    private final FileDescriptor listening;
    private final EventDescriptor event;
    private final int epollVal;
    private final FileDescriptor epoll;
    private final Object lock = new Object();
    private boolean signalled; // lock
    private boolean closed; // lock

    /**
     * @param listening of the kernel's listener, which stays the caller's
     */
    public EpollWaiter(FileDescriptor listening) throws IOException {
        this.listening = listening;
        event = new EventDescriptor();
        epollVal = event.epollWith(JdkBridge.value(listening));
        epoll = JdkBridge.descriptor(epollVal);
    }

    /** Readable while either source has something. */
    public FileDescriptor descriptor() {
        return epoll;
    }

    /** The same as a number. */
    public int value() {
        return epollVal;
    }

    @Override
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

    @Override
    public void consume() throws IOException {
        synchronized (lock) {
            if (signalled && !closed) {
                event.reset();
                signalled = false;
            }
        }
    }

    @Override
    public boolean kernelReady() throws IOException {
        return JdkBridge.readable(listening);
    }

    @Override
    public void await(long nanos) throws IOException {
        JdkBridge.park(epoll, epollVal, nanos, () -> true);
    }

    @Override
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
