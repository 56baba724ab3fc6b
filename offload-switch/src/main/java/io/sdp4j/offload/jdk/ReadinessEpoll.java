package io.sdp4j.offload.jdk;

import java.io.FileDescriptor;
import java.io.IOException;
import sun.nio.ch.IOUtil;

/**
 * A descriptor that is readable while another one is, a provider's or a listener's, or while it is
 * raised by hand.
 *
 * <p>Shape: an epoll descriptor over {the other one, one that is always readable}. The latter is
 * shared, and watched for no event until {@link #raise}. So raising needs no descriptor and no
 * memory of its own, and cannot fail. {@code this} guards all fields.
 */
public final class ReadinessEpoll {
    private final int other;
    private final AlwaysReadable always;
    private FileDescriptor epoll;
    private int epollVal;
    private boolean lent; // the number belongs to a channel, which closes it
    private boolean within; // the epoll descriptor belongs to the caller, which closes it
    private boolean forgotten; // the other descriptor is not in the epoll any more
    private boolean unheeded; // the other descriptor is watched for no event
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

    /**
     * Makes one inside an epoll descriptor of the caller's, which must stay open longer than this
     * object.
     */
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
     * Takes the place of {@code over}: from now on that number stands for this epoll, and the owner
     * of the number closes it. The file that had the number is closed.
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

    /** Makes this readable, whether the other descriptor is or not. Idempotent. */
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

    /** Sets whether this is readable while the other descriptor is; true at first. Idempotent. */
    public synchronized void heedOther(boolean heeded) {
        if (unheeded == heeded && !closed && !forgotten && other >= 0) {
            unheeded = !heeded;
            JdkClasses.CHANNELS.epollWatch(epollVal, other, heeded ? JdkBridge.POLLIN : 0);
        }
    }

    /**
     * Stops watching the other descriptor: its owner is about to close it, or it means nothing any
     * more. Idempotent.
     */
    public synchronized void forgetOther() {
        if (!closed && !forgotten && other >= 0) {
            forgotten = true;
            JdkClasses.CHANNELS.epollRemove(epollVal, other);
        }
    }

    /** Gives back the descriptors that belong to this object; idempotent. */
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
