package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.os.Descriptors;
import io.sdp4j.rdma.os.EpollLoop;

/**
 * How one queue pair waits, and is waited for.
 *
 * <p>Shape: the completion channel's descriptor and an eventfd. A blocked thread polls its queues,
 * asks for an event, polls once more and sleeps in poll(2) on both descriptors; whoever has no
 * thread arms, and the event thread looks at the channel once. Whichever of the two takes an event
 * from the channel wakes the other, so neither can miss one. Requests for events are remembered
 * until the event is taken, so nothing is asked twice.
 *
 * <p>All but {@link #await}'s sleep is guarded by the queue pair's monitor.
 */
final class Bell {
    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final EpollLoop loop;
    private final long watch;
    private boolean sleeping;
    private boolean wakeRequested;
    private boolean armed;
    private boolean receiveAsked;
    private boolean sendAsked;
    private Runnable handler;

    Bell(VerbsQueuePair qp, QpResources resources, EpollLoop loop) {
        this.qp = qp;
        this.resources = resources;
        this.loop = loop;
        watch = loop.watchOnDemand(resources.compFd, what -> onChannel());
    }

    void onDoorbell(Runnable called) {
        synchronized (qp) {
            handler = called;
        }
    }

    void await(long nanos) {
        synchronized (qp) {
            if (wakeRequested || nanos <= 0 || qp.look()) {
                wakeRequested = false;
                return;
            }
            ask();
            if (qp.look()) {
                return;
            }
            sleeping = true;
        }
        int ready =
                Descriptors.await(
                        resources.awaitScratch(), resources.compFd, resources.wakeFd, nanos);
        synchronized (qp) {
            sleeping = false;
            wakeRequested = false;
            if ((ready & 1) != 0) {
                takeEvents();
            }
            if ((ready & 2) != 0) {
                Descriptors.drain(resources.wakeFd);
            }
        }
    }

    void wake() {
        synchronized (qp) {
            wakeRequested = true;
            rouse();
        }
    }

    private void rouse() {
        if (sleeping && qp.isOpen()) {
            Descriptors.signal(resources.wakeFd);
        }
    }

    boolean arm() {
        synchronized (qp) {
            if (qp.look()) {
                return false;
            }
            ask();
            if (qp.look()) {
                return false;
            }
            armed = true;
            loop.once(resources.compFd, watch);
            return true;
        }
    }

    /** Lets the event thread see the sends end. Monitor held. */
    void watchSends() {
        ask();
        loop.once(resources.compFd, watch);
    }

    private void ask() {
        if (!qp.isOpen()) {
            return;
        }
        if (!receiveAsked) {
            receiveAsked = true;
            resources.requestReceiveEvent();
        }
        if (!sendAsked && qp.sendsMatter()) {
            sendAsked = true;
            resources.requestSendEvent();
        }
    }

    private void takeEvents() {
        while (qp.isOpen() && (receiveAsked || sendAsked)) {
            switch (resources.takeEvent()) {
                case QpResources.RECEIVE_EVENT -> receiveAsked = false;
                case QpResources.SEND_EVENT -> sendAsked = false;
                default -> {
                    return;
                }
            }
        }
    }

    /** The channel is readable. Event thread. */
    private void onChannel() {
        Runnable run = null;
        synchronized (qp) {
            if (!qp.isOpen()) {
                return;
            }
            takeEvents();
            boolean something = qp.look();
            if ((armed && !something) || qp.draining()) {
                ask();
                something = qp.look();
                if ((armed && !something) || qp.draining()) {
                    loop.once(resources.compFd, watch);
                }
            }
            if (something) {
                run = takeHandler();
            }
            rouse();
        }
        if (run != null) {
            run.run();
        }
    }

    private Runnable takeHandler() {
        if (!armed) {
            return null;
        }
        armed = false;
        return handler;
    }

    /** Something happened that no event of the channel tells. Any thread. */
    void onChange() {
        Runnable run = null;
        synchronized (qp) {
            rouse();
            if (armed && qp.look()) {
                run = takeHandler();
            }
        }
        if (run != null) {
            loop.execute(run);
        }
    }

    /** No more calls of the handler begin. Monitor held. */
    void disarm() {
        armed = false;
        handler = null;
    }

    /** The channel is about to be closed. Monitor held. */
    void close() {
        loop.forget(watch);
    }
}
