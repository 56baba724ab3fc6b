package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.WakeSignal;
import java.util.concurrent.TimeUnit;

/**
 * The sleep of the one thread that waits at a queue pair, and how it is ended.
 *
 * <p>Shape: two ways. In poll(2) on the channel's descriptor and an eventfd, after which the event
 * is read; or in the read itself, which is one system call instead of two, of some four that a
 * short answer costs. The second for sleeps without an end, once several have followed each other
 * and no other thread has looked for events meanwhile: selectors and the event thread want a
 * descriptor that does not block. Rarer where other threads end such sleeps, as a writer does that
 * takes what a reader waits for: that is dearer then. From outside, at a close or a lost
 * connection, such a sleep is ended by a signal ({@link WakeSignal}), again and again until the
 * thread has come out: one may come before the thread is in the call.
 *
 * <p>Guarded by the queue pair's monitor, but for {@link #sleep}.
 */
final class Sleeper {
    /** Sleeps without an end, with no other thread at the channel, before one is a read. */
    static final int IN_A_ROW = 3;

    /** So many more after each read that had to be ended by a signal, and no more than that. */
    private static final int MOST_IN_A_ROW = 4096;

    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final ChannelEvents events;
    private final EventLoop loop;
    private boolean sleeping;

    /** Sleeps so far: a signal is for one of them. */
    private int sleeps;

    private int inARow;
    private int wantedInARow = IN_A_ROW;
    private int foreignTakes;

    /** The thread that read last, and the kernel's number of it, which costs a call to learn. */
    private Thread reader;

    private int readerNumber;

    /** A signal is on its way to this sleep, and the event thread looks whether it has worked. */
    private boolean signalled;

    Sleeper(VerbsQueuePair qp, QpResources resources, ChannelEvents events, EventLoop loop) {
        this.qp = qp;
        this.resources = resources;
        this.events = events;
        this.loop = loop;
    }

    boolean sleeping() {
        assert Thread.holdsLock(qp);
        return sleeping;
    }

    /** The calling thread is about to {@link #sleep} for this time. */
    void begin(long nanos) {
        assert Thread.holdsLock(qp);
        sleeping = true;
        sleeps++;
        signalled = false;
        boolean alone = foreignTakes == events.foreignTakes();
        foreignTakes = events.foreignTakes();
        inARow = nanos == Long.MAX_VALUE && alone ? inARow + 1 : 0;
        if (inARow > wantedInARow) {
            if (reader != Thread.currentThread()) {
                reader = Thread.currentThread();
                readerNumber = WakeSignal.self();
            }
            events.beginRead();
        }
    }

    /**
     * Sleeps until there is an event, the time is over, or {@link #rouse} was called; perhaps for
     * no reason. Without the monitor.
     *
     * @return to be given to {@link #end}
     */
    int sleep(long nanos) {
        return events.beingRead()
                ? events.read() ? 1 : 0
                : Descriptors.await(
                        resources.awaitScratch, resources.cqs.compFd, resources.cqs.wakeFd, nanos);
    }

    /** Takes what has ended the sleep; whether that was an event. */
    boolean end(int ready) {
        assert Thread.holdsLock(qp);
        sleeping = false;
        if (events.beingRead()) {
            return events.endRead(ready != 0);
        }
        resources.countNativeCalls(1);
        if ((ready & 2) != 0 && qp.isOpen()) {
            resources.countNativeCalls(1);
            Descriptors.drain(resources.cqs.wakeFd);
        }
        return (ready & 1) != 0 && events.takeSeen();
    }

    /** Ends the sleep under way, if there is one. */
    void rouse() {
        assert Thread.holdsLock(qp);
        if (events.beingRead()) {
            if (!signalled) {
                signalled = true;
                inARow = 0;
                wantedInARow = Math.min(4 * wantedInARow, MOST_IN_A_ROW);
                signal();
            }
        } else if (sleeping && qp.isOpen()) {
            resources.countNativeCalls(1);
            Descriptors.signal(resources.cqs.wakeFd);
        }
    }

    private void signal() {
        resources.countNativeCalls(1);
        WakeSignal.send(readerNumber);
        int signalledSleep = sleeps;
        loop.schedule((EventLoop.Repeatable) () -> lookAgain(signalledSleep), AGAIN_NANOS);
    }

    /** The thread may not have been in the call yet. Event thread. */
    private void lookAgain(int signalledSleep) {
        synchronized (qp) {
            if (events.beingRead() && sleeps == signalledSleep) {
                signal();
            }
        }
    }
}
