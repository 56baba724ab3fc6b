package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.Descriptors;

/**
 * Notification requests of the two queues of one queue pair, and the events that answer them.
 *
 * <p>A request is remembered until its event was taken, so nothing is asked twice. Events are read
 * from a descriptor that either returns at once where there is none, or sleeps: the latter only for
 * the thread that sleeps here ({@link Sleeper}), and then no other thread reads.
 *
 * <p>Guarded by the queue pair's monitor, but for {@link #read}; the thread that reads may ask
 * {@link #beingRead} without it.
 */
final class ChannelEvents {
    /** Request pending at the receive queue: no event, one at a marked message, one at any. */
    static final int NOTHING = 0;

    static final int MARKED = 1;
    static final int ANY = 2;

    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final WorkRequests requests;
    private int receiveAsked;
    private boolean sendAsked;

    /** Whether reads of the descriptor sleep. */
    private boolean blocking;

    /** A thread sleeps in such a read: events are its to take. */
    private boolean beingRead;

    /** Others have taken events, or tried to, so often. */
    private int foreignTakes;

    ChannelEvents(VerbsQueuePair qp, QpResources resources, WorkRequests requests) {
        this.qp = qp;
        this.resources = resources;
        this.requests = requests;
        receiveAsked = resources.cqs.receiveAsked;
        sendAsked = resources.cqs.sendAsked;
    }

    /** See {@link #NOTHING}. */
    int receiveAsked() {
        assert Thread.holdsLock(qp);
        return receiveAsked;
    }

    boolean beingRead() {
        return beingRead;
    }

    int foreignTakes() {
        assert Thread.holdsLock(qp);
        return foreignTakes;
    }

    /**
     * Asks for an event at what comes from now on; to be followed by a look.
     *
     * @param marked whether a message that is not marked is worth none
     */
    void ask(boolean marked) {
        assert Thread.holdsLock(qp);
        if (!qp.isOpen()) {
            return;
        }
        if (requests.fewReceives()) {
            qp.postReceives();
        }
        int wanted = marked ? MARKED : ANY;
        if (receiveAsked < wanted) {
            receiveAsked = wanted;
            resources.requestReceiveEvent(marked);
        }
        if (requests.sendsAwaited()) {
            askOfSends();
        }
    }

    /** Asks for an event at the end of the next thing sent. */
    void askOfSends() {
        assert Thread.holdsLock(qp);
        if (!sendAsked) {
            sendAsked = true;
            resources.requestSendEvent();
        }
    }

    /** Takes what is there, unless a thread sleeps that takes it; whether there was something. */
    boolean takeAll() {
        assert Thread.holdsLock(qp);
        foreignTakes++;
        if (beingRead || !qp.isOpen()) {
            return false;
        }
        if (blocking) {
            blocking = false;
            resources.countNativeCalls(1);
            Descriptors.blocking(resources.cqs.compFd, false);
        }
        return takeUntilNone();
    }

    private boolean takeUntilNone() {
        boolean any = false;
        while ((receiveAsked != NOTHING || sendAsked) && take()) {
            any = true;
        }
        return any;
    }

    /**
     * Takes what the thread that slept has seen on the descriptor; whether it is still there. Where
     * reads sleep there is one for certain, as others make the descriptor return before they take.
     */
    boolean takeSeen() {
        assert Thread.holdsLock(qp);
        return qp.isOpen() && (blocking ? take() : takeUntilNone());
    }

    private boolean take() {
        resources.countNativeCalls(1);
        return onGot(resources.getEvent());
    }

    private boolean onGot(boolean got) {
        if (got) {
            if (resources.takenEvent()) {
                receiveAsked = NOTHING;
            } else {
                sendAsked = false;
            }
        }
        return got;
    }

    /** The calling thread is about to {@link #read}. */
    void beginRead() {
        assert Thread.holdsLock(qp);
        if (!blocking) {
            blocking = true;
            resources.countNativeCalls(1);
            Descriptors.blocking(resources.cqs.compFd, true);
        }
        beingRead = true;
    }

    /** Sleeps until there is an event, or a signal; which it was. Without the monitor. */
    boolean read() {
        return resources.getEvent();
    }

    /**
     * @param got what {@link #read} has said
     */
    boolean endRead(boolean got) {
        assert Thread.holdsLock(qp);
        resources.countNativeCalls(1);
        beingRead = false;
        return onGot(got);
    }

    /** The channel is about to get another owner, which then knows its pending requests. */
    void close() {
        assert Thread.holdsLock(qp);
        if (blocking) {
            blocking = false;
            Descriptors.blocking(resources.cqs.compFd, false);
        }
        resources.cqs.receiveAsked = receiveAsked;
        resources.cqs.sendAsked = sendAsked;
    }
}
