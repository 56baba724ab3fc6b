package io.sdp4j.rdma.verbs;

import io.sdp4j.rdma.os.Descriptors;
import io.sdp4j.rdma.os.EpollLoop;
import io.sdp4j.rdma.os.Linux;
import io.sdp4j.rdma.os.Spinner;
import java.util.function.BooleanSupplier;

/**
 * How one queue pair waits, and is waited for.
 *
 * <p>Shape: the completion channel's descriptor and an eventfd. A blocked thread polls its queues,
 * for a while if that has paid off lately, asks for an event, polls once more and sleeps in poll(2)
 * on both descriptors; whoever has no thread arms, and the event thread looks at the channel once.
 * Whichever of the two takes an event from the channel wakes the other, so neither can miss one.
 * Requests for events are remembered until the event is taken, so nothing is asked twice.
 *
 * <p>Somebody else's poller gets an epoll of the channel and another eventfd, made when first asked
 * for; what the channel does not tell, and events that somebody else took from it, is signalled on
 * the eventfd.
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
    private int descriptor = -1;
    private int ringFd = -1;
    private boolean polled;
    private Runnable onGreeting;

    private final Spinner spinner;

    /** Judges waits of a side that has said nothing since it last heard something. */
    private final Spinner listener;

    private final BooleanSupplier something = this::hasSomething;

    Bell(VerbsQueuePair qp, QpResources resources, EpollLoop loop, Spinner spinner) {
        this.qp = qp;
        this.spinner = spinner;
        this.listener = spinner.another();
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
        if (nanos > 0 && spinner.spin(something, nanos, Bell::never)) {
            clearWake();
            return;
        }
        synchronized (qp) {
            if (!wakeRequested && nanos > 0) {
                ask();
            }
            if (wakeRequested || nanos <= 0 || qp.look()) {
                wakeRequested = false;
                return;
            }
            sleeping = true;
        }
        int ready =
                Descriptors.await(
                        resources.awaitScratch(), resources.compFd, resources.wakeFd, nanos);
        synchronized (qp) {
            resources.countNativeCalls(1);
            sleeping = false;
            wakeRequested = false;
            if ((ready & 1) != 0) {
                takeEventsForAll();
            }
            if ((ready & 2) != 0) {
                resources.countNativeCalls(1);
                Descriptors.drain(resources.wakeFd);
            }
        }
    }

    private void clearWake() {
        synchronized (qp) {
            wakeRequested = false;
        }
    }

    private static boolean never() {
        return false;
    }

    private boolean hasSomething() {
        synchronized (qp) {
            return wakeRequested || qp.look();
        }
    }

    /** See {@link io.sdp4j.rdma.CompletionQueue#busyPoll}. */
    boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
        return hasSomething()
                || (spoken ? spinner : listener).spin(something, Long.MAX_VALUE, elsewhere);
    }

    void wake() {
        synchronized (qp) {
            wakeRequested = true;
            rouse();
        }
    }

    private void rouse() {
        if (sleeping && qp.isOpen()) {
            resources.countNativeCalls(1);
            Descriptors.signal(resources.wakeFd);
        }
        if (polled && ringFd >= 0) {
            Descriptors.signal(ringFd);
        }
    }

    boolean arm() {
        synchronized (qp) {
            polled = false;
            if (qp.look()) {
                return false;
            }
            ask();
            if (qp.look()) {
                return false;
            }
            armed = true;
            resources.countNativeCalls(1);
            loop.once(resources.compFd, watch);
            return true;
        }
    }

    int descriptor() {
        synchronized (qp) {
            if (descriptor < 0 && qp.isOpen()) {
                ringFd = Descriptors.eventFd();
                descriptor = ringFd < 0 ? -1 : Descriptors.either(resources.compFd, ringFd);
            }
            return Math.max(-1, descriptor);
        }
    }

    boolean armDescriptor() {
        synchronized (qp) {
            polled = true;
            resources.countNativeCalls(1);
            Descriptors.drain(ringFd);
            takeEvents();
            if (!qp.look()) {
                ask();
                if (!qp.look() && !qp.isOver()) {
                    return true;
                }
            }
            Descriptors.signal(ringFd);
            return false;
        }
    }

    void releaseDescriptor() {
        Runnable run = null;
        synchronized (qp) {
            if (polled) {
                polled = false;
                if (armed && qp.look()) {
                    run = takeHandler();
                } else if (armed) {
                    watchSends();
                }
            }
        }
        if (run != null) {
            loop.execute(run);
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

    /** Whoever takes events tells those who might have waited for them. */
    private void takeEventsForAll() {
        if (takeEvents()) {
            rouse();
        }
    }

    private boolean takeEvents() {
        boolean any = false;
        while (qp.isOpen() && (receiveAsked || sendAsked)) {
            switch (resources.takeEvent()) {
                case CompletionEvents.RECEIVE -> receiveAsked = false;
                case CompletionEvents.SEND -> sendAsked = false;
                default -> {
                    return any;
                }
            }
            any = true;
        }
        return any;
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
            run = takeGreeting();
            if ((armed && !something) || qp.draining() || onGreeting != null) {
                ask();
                something = qp.look();
                run = run == null ? takeGreeting() : run;
                if ((armed && !something) || qp.draining() || onGreeting != null) {
                    loop.once(resources.compFd, watch);
                }
            }
            if (something && run == null) {
                run = takeHandler();
            }
            rouse();
        }
        if (run != null) {
            run.run();
        }
    }

    /** Runs {@code then} once when the greeting has come. Event thread. */
    void onGreeting(Runnable then) {
        synchronized (qp) {
            onGreeting = then;
            watchSends();
        }
        onChannel();
    }

    private Runnable takeGreeting() {
        Runnable then = qp.greeted() ? onGreeting : null;
        if (then != null) {
            onGreeting = null;
        }
        return then;
    }

    private Runnable takeHandler() {
        if (!armed || polled) {
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
        if (descriptor >= 0) {
            Linux.close(descriptor);
            descriptor = -1;
        }
        if (ringFd >= 0) {
            Linux.close(ringFd);
            ringFd = -1;
        }
    }
}
