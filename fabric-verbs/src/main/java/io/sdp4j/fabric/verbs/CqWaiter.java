package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.linux.AdaptiveSpin;
import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.Linux;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The waiting half of a queue pair's completion queue: how threads wait for the queue pair and are
 * woken.
 *
 * <p>Shape: the completion channel's descriptor and an eventfd. A blocking thread polls its queues,
 * for a while if that has paid off lately, asks for an event, polls once more and sleeps ({@link
 * Sleeper}). An owner without a thread arms, and the event thread looks at the channel once. The
 * thread that takes an event from the channel, a sleeper, a poller or the event thread, wakes the
 * others, so none can miss one.
 *
 * <p>A peer of ours marks the last message of each burst with a solicited event, and a blocking
 * thread sleeps until a mark comes: four messages in a row wake it once. Marks are not relied on: a
 * thread that has slept a while without one asks to be woken by any message.
 *
 * <p>Another poller gets an epoll of the channel and another eventfd, which are made when first
 * asked for. The eventfd signals changes that the channel does not show, and events that another
 * thread took from the channel.
 *
 * <p>Guarded by the queue pair's monitor, except the sleep in {@link #await}.
 */
abstract class CqWaiter implements CompletionQueue {
    /** Longest time that a message may wait without a wake-up. */
    private static final long MARK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** This many messages without a send of ours are a stream. */
    private static final int STREAMING = 16;

    private static final int FOUND = -1;

    final VerbsQueuePair qp;
    private final QpResources resources;
    final WorkRequests requests;
    private final SolicitedEventSupport marks;
    private final InterruptModeration gather;
    private final EpollLoop loop;
    private final long watch;
    private final ChannelEvents events;
    private final Sleeper sleeper;
    private boolean wakeRequested;
    private boolean armed;

    /** The event thread has left the channel to a reading thread. */
    private boolean unwatched;

    /** The peer marks the last message of each burst. */
    private boolean peerMarks;

    private Runnable handler;
    private int descriptor = -1;
    private int ringFd = -1;
    private boolean polled;
    private Runnable onGreeting;
    private final AdaptiveSpin spinner;

    /** For waits of a side that has sent nothing since it last received something. */
    private final AdaptiveSpin listener;

    private final BooleanSupplier something = this::hasSomething;

    CqWaiter(
            VerbsQueuePair qp,
            QpResources resources,
            WorkRequests requests,
            EpollLoop loop,
            AdaptiveSpin spinner) {
        this.qp = qp;
        this.spinner = spinner;
        this.listener = spinner.another();
        this.resources = resources;
        this.requests = requests;
        marks = qp.device.marks;
        gather = new InterruptModeration(resources.spec.receiveSlots());
        this.loop = loop;
        events = new ChannelEvents(qp, resources, requests);
        sleeper = new Sleeper(qp, resources, events, loop);
        watch = loop.watchOnDemand(what -> onChannel());
    }

    /** Whether {@link #poll} would find something now. Monitor held. */
    abstract boolean look();

    /** Whether the user was told of the end, or has closed the queue pair. Monitor held. */
    abstract boolean isOver();

    /** Says that the peer marks bursts. Called before use. */
    void peerMarks() {
        synchronized (qp) {
            peerMarks = true;
        }
    }

    @Override
    public void onNotify(Runnable called) {
        synchronized (qp) {
            handler = called == null ? null : (EventLoop.Repeatable) called::run;
        }
    }

    @Override
    public void await(long nanos) {
        if (nanos > 0 && spinner.spin(something, nanos, () -> false)) {
            synchronized (qp) {
                wakeRequested = false;
            }
            return;
        }
        boolean marking = marking();
        boolean marked = marking && marks.come();
        long bound = marked ? MARK_NANOS : marking ? streamNanos() : 0;
        if (bound == 0) {
            sleep(nanos, ChannelEvents.ANY);
            return;
        }
        // Unmarked messages may wait, so no event is asked for them.
        int first = marked ? ChannelEvents.MARKED : ChannelEvents.NOTHING;
        if (sleep(Math.min(nanos, bound), first) == 0 && nanos > bound) {
            long rest = nanos == Long.MAX_VALUE ? nanos : nanos - bound;
            int how = sleep(rest, ChannelEvents.ANY);
            if (how == FOUND) {
                marks.onMissed();
                synchronized (qp) {
                    gather.onOver(requests.receives());
                }
            }
        }
    }

    /**
     * Whether the wait may be for marked messages only. A conversation of single messages needs no
     * marks, and no time limit of the sleep, which would cost setting and stopping a timer.
     */
    private boolean marking() {
        synchronized (qp) {
            return peerMarks && !requests.talks();
        }
    }

    /**
     * Returns how long a stream in one direction is left alone if the device does not signal marks,
     * so that several messages can come; 0 if this is none.
     */
    private long streamNanos() {
        synchronized (qp) {
            boolean stream = requests.heard() >= STREAMING && !requests.sendsAwaited();
            return stream ? gather.nanos() : 0;
        }
    }

    /**
     * @param wanted which message ends the sleep, a constant of {@link ChannelEvents}
     * @return what is readable; 0 if only time has passed; {@link #FOUND} if no sleep was needed
     */
    private int sleep(long nanos, int wanted) {
        boolean onlyMarked;
        synchronized (qp) {
            if (wakeRequested || nanos <= 0 || (wanted != ChannelEvents.NOTHING && asked(wanted))) {
                wakeRequested = false;
                return FOUND;
            }
            onlyMarked = events.receiveAsked() == ChannelEvents.MARKED;
            sleeper.begin(nanos);
        }
        int ready = sleeper.sleep(nanos);
        synchronized (qp) {
            wakeRequested = false;
            if (sleeper.end(ready) || unwatched) {
                tellOthers();
            }
            if (onlyMarked && events.receiveAsked() == ChannelEvents.NOTHING) {
                marks.onRung();
            }
        }
        return ready;
    }

    /** Asks for an event. Returns whether there is something already. */
    private boolean asked(int wanted) {
        assert Thread.holdsLock(qp);
        events.ask(wanted == ChannelEvents.MARKED);
        return look();
    }

    /** Wakes others that wait, because the thread that slept may have taken their event. */
    private void tellOthers() {
        assert Thread.holdsLock(qp);
        if (polled && ringFd >= 0) {
            Descriptors.signal(ringFd);
        }
        if (armed || unwatched) {
            unwatched = false;
            loop.execute((EventLoop.Repeatable) this::onChannel);
        }
    }

    private boolean hasSomething() {
        synchronized (qp) {
            return wakeRequested || look();
        }
    }

    @Override
    public boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
        return hasSomething()
                || (spoken ? spinner : listener).spin(something, Long.MAX_VALUE, elsewhere);
    }

    @Override
    public void wake() {
        synchronized (qp) {
            wakeRequested = true;
            rouse();
        }
    }

    private void rouse() {
        assert Thread.holdsLock(qp);
        sleeper.rouse();
        if (polled && ringFd >= 0) {
            Descriptors.signal(ringFd);
        }
    }

    @Override
    public boolean arm() {
        synchronized (qp) {
            polled = false;
            if (look()) {
                return false;
            }
            ask();
            if (look()) {
                return false;
            }
            armed = true;
            resources.countNativeCalls(1);
            loop.once(resources.cqs.compFd, watch);
            return true;
        }
    }

    @Override
    public int descriptor() {
        synchronized (qp) {
            if (descriptor < 0 && qp.isOpen()) {
                if (ringFd < 0) { // else left by a call that found no second descriptor
                    ringFd = Descriptors.eventFd();
                }
                descriptor = ringFd < 0 ? -1 : Descriptors.either(resources.cqs.compFd, ringFd);
            }
            return Math.max(-1, descriptor);
        }
    }

    @Override
    public boolean armDescriptor(boolean quietToo) {
        synchronized (qp) {
            polled = true;
            resources.countNativeCalls(1);
            Descriptors.drain(ringFd);
            if (events.takeAll()) {
                sleeper.rouse(); // the event may be the one that it waits for
            }
            if (!look()) {
                ask();
                if (!look() && !isOver()) {
                    return true;
                }
            }
            Descriptors.signal(ringFd);
            return false;
        }
    }

    @Override
    public void releaseDescriptor() {
        Runnable run = null;
        synchronized (qp) {
            if (polled) {
                polled = false;
                if (armed && look()) {
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

    /** Lets the event thread see the completions of sends. Monitor held. */
    void watchSends() {
        assert Thread.holdsLock(qp);
        ask();
        loop.once(resources.cqs.compFd, watch);
    }

    /**
     * Called before something is posted. A sleeping thread asked for an event when no send
     * mattered; the posting thread may now wait for the end of this send, and leaves the look to
     * the sleeping thread.
     *
     * @param matters whether the end of the request matters, and not only the slot that it frees
     */
    void onPosting(boolean matters) {
        assert Thread.holdsLock(qp);
        if (sleeper.sleeping() && requests.nextAwaited(matters)) {
            events.askOfSends();
        }
    }

    private void ask() {
        assert Thread.holdsLock(qp);
        events.ask(false);
    }

    /** Takes events, because the channel may be readable. Event thread. */
    private void onChannel() {
        Runnable run;
        synchronized (qp) {
            if (!qp.isOpen()) {
                return;
            }
            events.takeAll();
            boolean something = look();
            run = takeGreeting();
            if (wantsMore(something)) {
                ask();
                something = look();
                run = run == null ? takeGreeting() : run;
                if (wantsMore(something)) {
                    watch();
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

    /** Whether the event thread must see the next event. */
    private boolean wantsMore(boolean something) {
        assert Thread.holdsLock(qp);
        return (armed && !something) || qp.draining() || onGreeting != null;
    }

    /**
     * Lets the event thread see the next event. While a thread reads the channel, which then shows
     * no event, this waits until that read is over.
     */
    private void watch() {
        assert Thread.holdsLock(qp);
        if (events.beingRead()) {
            unwatched = true;
        } else {
            loop.once(resources.cqs.compFd, watch);
        }
    }

    /**
     * Lets a thread that reads the channel come out, because the channel is about to be closed;
     * whether there is one. Monitor held.
     */
    boolean rouseReader() {
        assert Thread.holdsLock(qp);
        if (events.beingRead()) {
            sleeper.rouse();
        }
        return events.beingRead();
    }

    /** Runs {@code then} once when the greeting has come. Event thread. */
    void onGreeting(Runnable then) {
        synchronized (qp) {
            onGreeting = then;
        }
        onChannel();
    }

    /**
     * Runs the task of {@link #onGreeting} now if the greeting has come and no event has told of it
     * yet. Event thread.
     */
    void lookForGreeting() {
        onChannel();
    }

    private Runnable takeGreeting() {
        assert Thread.holdsLock(qp);
        Runnable then = requests.greeted() ? onGreeting : null;
        if (then != null) {
            onGreeting = null;
        }
        return then;
    }

    private Runnable takeHandler() {
        assert Thread.holdsLock(qp);
        if (!armed || polled) {
            return null;
        }
        armed = false;
        return handler;
    }

    /** Called when something happened for which the channel has no event. Any thread. */
    void onChange() {
        Runnable run = null;
        synchronized (qp) {
            rouse();
            if (armed && look()) {
                run = takeHandler();
            }
        }
        if (run != null) {
            loop.execute(run);
        }
    }

    /** Lets no more calls of the handler begin. Monitor held. */
    void disarm() {
        assert Thread.holdsLock(qp);
        armed = false;
        handler = null;
    }

    /**
     * Called before the channel gets another owner. Monitor held.
     *
     * @return false if the channel must not be used again: a poller may still look at it, or a
     *     thread sleeps on it, whose wake-up the next owner must not take
     */
    boolean close() {
        assert Thread.holdsLock(qp);
        loop.forget(watch);
        events.close();
        boolean alone = descriptor < 0 && !sleeper.sleeping();
        if (descriptor >= 0) {
            Linux.close(descriptor);
            descriptor = -1;
        }
        if (ringFd >= 0) {
            Linux.close(ringFd);
            ringFd = -1;
        }
        return alone;
    }
}
