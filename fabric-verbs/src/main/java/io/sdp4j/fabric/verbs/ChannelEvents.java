package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.Descriptors;

/**
 * Notification requests of the two queues of one queue pair, and the events that answer them.
 *
 * <p>A request is remembered until its event was taken, so no event is requested twice. Events are
 * read from a descriptor. A read without an event either returns at once or sleeps; it sleeps only
 * for the thread that sleeps here ({@link Sleeper}), and then no other thread reads.
 *
 * <p>Guarded by the queue pair's monitor, except {@link #read}; the thread that reads may call
 * {@link #beingRead} without it.
 */
final class ChannelEvents {
    /**
     * Pending request at the receive queue: for no event, for one at a marked message, for one at
     * any message.
     */
    static final int NOTHING = 0;

    static final int MARKED = 1;
    static final int ANY = 2;

    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final WorkRequests requests;
    private final CqResources cqs;

    /** The descriptor is in blocking mode. */
    private boolean blocking;

    /** A thread sleeps in a read, and takes the events. */
    private boolean beingRead;

    /** How often other threads have taken events or tried to. */
    private int foreignTakes;

    ChannelEvents(VerbsQueuePair qp, QpResources resources, WorkRequests requests) {
        this.qp = qp;
        this.resources = resources;
        this.requests = requests;
        cqs = resources.cqs;
    }

    /** See {@link #NOTHING}. */
    int receiveAsked() {
        assert Thread.holdsLock(qp);
        return cqs.receiveAsked;
    }

    boolean beingRead() {
        return beingRead;
    }

    int foreignTakes() {
        assert Thread.holdsLock(qp);
        return foreignTakes;
    }

    /**
     * Asks for an event at the next message. The caller has to look again afterwards.
     *
     * @param marked whether only a marked message should cause an event
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
        if (cqs.receiveAsked < wanted) {
            cqs.receiveAsked = wanted;
            resources.requestReceiveEvent(marked);
        }
        if (requests.sendsAwaited()) {
            askOfSends();
        }
    }

    /** Asks for an event at the next completion of the send queue. */
    void askOfSends() {
        assert Thread.holdsLock(qp);
        if (!cqs.sendAsked) {
            cqs.sendAsked = true;
            resources.requestSendEvent();
        }
    }

    /** Takes all events, unless a sleeping thread takes them. Returns whether there were any. */
    boolean takeAll() {
        assert Thread.holdsLock(qp);
        foreignTakes++;
        if (beingRead || !qp.isOpen()) {
            return false;
        }
        if (blocking) {
            blocking = false;
            resources.countNativeCalls(1);
            Descriptors.blocking(cqs.compFd, false);
        }
        return takeUntilNone();
    }

    private boolean takeUntilNone() {
        boolean any = false;
        while ((cqs.receiveAsked != NOTHING || cqs.sendAsked) && take()) {
            any = true;
        }
        return any;
    }

    /**
     * Takes the event that the sleeping thread has seen on the descriptor. Returns whether it was
     * still there. In blocking mode it is there for certain, because other threads make the
     * descriptor non-blocking before they take events.
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
                cqs.receiveAsked = NOTHING;
            } else {
                cqs.sendAsked = false;
            }
        }
        return got;
    }

    /** Called by a thread that is about to {@link #read}. */
    void beginRead() {
        assert Thread.holdsLock(qp);
        if (!blocking) {
            blocking = true;
            resources.countNativeCalls(1);
            Descriptors.blocking(cqs.compFd, true);
        }
        beingRead = true;
    }

    /**
     * Sleeps until there is an event or a signal. Returns whether it was an event. Without the
     * monitor.
     */
    boolean read() {
        return resources.getEvent();
    }

    /**
     * @param got the result of {@link #read}
     */
    boolean endRead(boolean got) {
        assert Thread.holdsLock(qp);
        resources.countNativeCalls(1);
        beingRead = false;
        return onGot(got);
    }

    /**
     * Called before the channel gets another owner, which finds the pending requests in {@link
     * CqResources}.
     */
    void close() {
        assert Thread.holdsLock(qp);
        if (blocking) {
            blocking = false;
            Descriptors.blocking(cqs.compFd, false);
        }
    }
}
