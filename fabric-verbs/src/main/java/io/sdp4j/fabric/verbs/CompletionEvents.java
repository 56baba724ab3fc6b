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
    static final int NONE = 0;
    static final int RECEIVE = 1;
    static final int SEND = 2;

    private static final int ACK_EVERY = 256;

    private final Ibv ibv;
    private final long channel;
    private final long receiveCq;
    private final long sendCq;
    private final MemorySegment scratch;
    private final long at;
    private int receives;
    private int sends;

    /**
     * @param scratch native memory that has two words at {@code at}
     */
    CompletionEvents(
            Ibv ibv, long channel, long receiveCq, long sendCq, MemorySegment scratch, long at) {
        this.ibv = ibv;
        this.channel = channel;
        this.receiveCq = receiveCq;
        this.sendCq = sendCq;
        this.scratch = scratch;
        this.at = at;
    }

    /**
     * Gets one event from the channel, to be {@link #taken}; false if there is none, or a signal
     * came. One thread at a time, which needs no lock: if the descriptor is a blocking one, it
     * sleeps here.
     */
    boolean get() {
        return ibv.getCqEvent(channel, scratch.address() + at);
    }

    /** Takes the event that was got; of which queue. */
    int taken() {
        if (scratch.get(JAVA_LONG, at) == receiveCq) {
            if (++receives == ACK_EVERY) {
                ibv.ackCqEvents(receiveCq, receives);
                receives = 0;
            }
            return RECEIVE;
        }
        if (++sends == ACK_EVERY) {
            ibv.ackCqEvents(sendCq, sends);
            sends = 0;
        }
        return SEND;
    }

    /** Acknowledges what is left, before the queues are destroyed. */
    void acknowledge() {
        if (receives > 0) {
            ibv.ackCqEvents(receiveCq, receives);
            receives = 0;
        }
        if (sends > 0) {
            ibv.ackCqEvents(sendCq, sends);
            sends = 0;
        }
    }
}
