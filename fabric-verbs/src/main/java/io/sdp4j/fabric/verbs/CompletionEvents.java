package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/**
 * The events of one queue pair's completion channel, which both its queues share.
 *
 * <p>Every event has to be acknowledged before its queue is destroyed. That takes a lock of the
 * library's, so many are acknowledged at a time. Guarded by the queue pair's monitor; allocates
 * nothing.
 */
final class CompletionEvents {
    private static final int ACK_EVERY = 256;

    private final Ibv ibv;
    private final CqResources cqs;
    private final MemorySegment scratch;
    private final long at;
    private int receives;
    private int sends;

    /**
     * @param scratch native memory that has two words at {@code at}
     */
    CompletionEvents(Ibv ibv, CqResources cqs, MemorySegment scratch, long at) {
        this.ibv = ibv;
        this.cqs = cqs;
        this.scratch = scratch;
        this.at = at;
    }

    /**
     * Gets one event from the channel, to be {@link #taken}; false if there is none, or a signal
     * came. One thread at a time, which needs no lock: if the descriptor is a blocking one, it
     * sleeps here.
     */
    boolean get() {
        return ibv.getCqEvent(cqs.compChannel, scratch.address() + at);
    }

    /** Takes the event that was got; whether it is of the queue for receives. */
    boolean taken() {
        boolean receive = scratch.get(JAVA_LONG, at) == cqs.receiveCq;
        if (receive) {
            receives++;
        } else {
            sends++;
        }
        if (receives + sends == ACK_EVERY) {
            acknowledge();
        }
        return receive;
    }

    /** Acknowledges what is left, before the queues are destroyed. */
    void acknowledge() {
        if (receives > 0) {
            ibv.ackCqEvents(cqs.receiveCq, receives);
            receives = 0;
        }
        if (sends > 0) {
            ibv.ackCqEvents(cqs.sendCq, sends);
            sends = 0;
        }
    }
}
