package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import sun.nio.ch.IOUtil;

/**
 * A descriptor that is readable while another one is, a provider's or a listener's, or while it is
 * raised.
 *
 * <p>Shape: an epoll descriptor over {the other one, one that is always readable}. The latter is
 * shared, and watched for nothing until {@link #raise}: so to raise needs no descriptor and no
 * memory of its own, and cannot fail. {@code this} guards all fields.
 */
public final class ReadinessEpoll {
    private final int other;
    private final AlwaysReadable always;
    private FileDescriptor epoll;
    private int epollVal;
    private boolean lent; // the number belongs to a channel
    private boolean within; // the descriptor does
    private boolean forgotten;
    private boolean unheeded;
    private boolean raised;
    private boolean closed;

    /**
     * @param other a provider's or a listener's descriptor; -1 = none
     */
    public ReadinessEpoll(int other) throws IOException {
        this.other = other;
        always = AlwaysReadable.take();
        boolean complete = false;
        try {
            epollVal = JdkBridge.epollOf(other, always.fdVal);
            complete = true;
        } finally {
            if (!complete) {
                always.release();
            }
        }
        epoll = IOUtil.newFD(epollVal);
    }

    private ReadinessEpoll(int epollVal, AlwaysReadable always) {
        other = -1;
        this.always = always;
        this.epollVal = epollVal;
        epoll = IOUtil.newFD(epollVal);
        within = true;
    }

    /** One within an epoll descriptor that is the caller's, and longer there than this. */
    public static ReadinessEpoll within(int epollVal) throws IOException {
        AlwaysReadable always = AlwaysReadable.take();
        int failed = JdkClasses.CHANNELS.epollAdd(epollVal, always.fdVal, 0);
        if (failed != 0) {
            always.release();
            throw new IOException("epoll_ctl failed with errno " + failed);
        }
        return new ReadinessEpoll(epollVal, always);
    }

    /**
     * Takes the place of {@code over}: from now on that number stands for this, and the owner of it
     * closes it. The descriptor that had the number is closed.
     */
    public synchronized void moveOver(FileDescriptor over) throws IOException {
        PrivateNatives.duplicate(epoll, over);
        JdkClasses.CHANNELS.close(epollVal);
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

    /** Makes it readable whatever the other one is. Idempotent. */
    public synchronized void raise() {
        if (!raised && !closed) {
            raised = true;
            JdkClasses.CHANNELS.epollWatch(epollVal, always.fdVal, JdkBridge.POLLIN);
        }
    }

    /** Ends {@link #raise}. Idempotent. */
    public synchronized void lower() {
        if (raised && !closed) {
            raised = false;
            JdkClasses.CHANNELS.epollWatch(epollVal, always.fdVal, 0);
        }
    }

    /** Whether to be readable while the other one is; true at first. Idempotent. */
    public synchronized void heedOther(boolean heeded) {
        if (unheeded == heeded && !closed && !forgotten && other >= 0) {
            unheeded = !heeded;
            JdkClasses.CHANNELS.epollWatch(epollVal, other, heeded ? JdkBridge.POLLIN : 0);
        }
    }

    /** The other one is about to be closed by its owner, or means nothing any more. Idempotent. */
    public synchronized void forgetOther() {
        if (!closed && !forgotten && other >= 0) {
            forgotten = true;
            JdkClasses.CHANNELS.epollRemove(epollVal, other);
        }
    }

    /** Gives back what is its own; idempotent. */
    public synchronized void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            if (within) {
                JdkClasses.CHANNELS.epollRemove(epollVal, always.fdVal);
            } else if (!lent) {
                JdkClasses.CHANNELS.close(epollVal);
            }
        } finally {
            always.release();
        }
    }
}
