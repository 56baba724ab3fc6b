package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;

/**
 * A descriptor for a selector: readable while somebody else's bell is, or while it is raised.
 *
 * <p>Shape: an epoll descriptor over {the bell, an eventfd}. {@code this} guards all fields.
 */
public final class ReadinessEpoll {
    private final int bell;
    private final EventDescriptor event;
    private FileDescriptor epoll;
    private int epollVal;
    private boolean lent; // the number belongs to somebody else
    private boolean forgotten;
    private boolean raised;
    private boolean closed;

    /**
     * @param bell somebody else's descriptor; -1 = none
     */
    public ReadinessEpoll(int bell) throws IOException {
        this.bell = bell;
        event = new EventDescriptor();
        epollVal = event.epollWith(bell);
        epoll = JdkBridge.descriptor(epollVal);
    }

    /**
     * Takes the place of {@code over}: from now on that number stands for this, and the owner of it
     * closes it. What it stood for is closed.
     */
    public synchronized void moveOver(FileDescriptor over) throws IOException {
        ChannelBridge.duplicate(epoll, over);
        JdkBridge.closeDescriptor(epollVal);
        epoll = over;
        epollVal = JdkBridge.value(over);
        lent = true;
    }

    public synchronized FileDescriptor descriptor() {
        return epoll;
    }

    public synchronized int value() {
        return epollVal;
    }

    /** Makes it readable whatever the bell does. Idempotent. */
    public synchronized void raise() {
        if (!raised && !closed) {
            raised = true;
            try {
                event.set();
            } catch (IOException e) {
                throw new IllegalStateException("an eventfd cannot be written", e);
            }
        }
    }

    /** Ends {@link #raise}. Idempotent. */
    public synchronized void lower() {
        if (raised && !closed) {
            raised = false;
            try {
                event.reset();
            } catch (IOException e) {
                throw new IllegalStateException("an eventfd cannot be read", e);
            }
        }
    }

    /** The bell is about to be closed by its owner, or means nothing any more. Idempotent. */
    public synchronized void forgetBell() {
        if (!closed && !forgotten && bell >= 0) {
            forgotten = true;
            JdkBridge.epollRemove(epollVal, bell);
        }
    }

    /** Gives back what is its own; idempotent. */
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (!lent) {
                JdkBridge.closeDescriptor(epollVal);
            }
        } finally {
            event.close();
        }
    }
}
