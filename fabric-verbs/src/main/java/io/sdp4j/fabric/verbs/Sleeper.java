package io.sdp4j.fabric.verbs;

import io.sdp4j.linux.Descriptors;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.WakeSignal;
import java.util.concurrent.TimeUnit;

/**
 * The sleep of the one thread that waits at a queue pair, and the ways to end it.
 *
 * <p>Shape: a thread sleeps in one of two ways. The first is poll(2) on the channel's descriptor
 * and an eventfd, followed by a read of the event. The second is the blocking read itself, which
 * saves one of some four system calls of a short answer. The second way is for sleeps without a
 * time limit, once several of them followed each other and no other thread looked for events in
 * between, because selectors and the event thread need a descriptor that does not block. It is used
 * more rarely if other threads end such sleeps, as a writer does that takes what a reader waits
 * for, because ending them costs more. A close or a lost connection ends a blocking read by a
 * signal ({@link WakeSignal}), which is repeated until the thread has left the call, because a
 * signal may come before the thread is in the call.
 *
 * <p>Guarded by the queue pair's monitor, except {@link #sleep}.
 */
final class Sleeper {
    /**
     * Consecutive sleeps without a time limit, with no other thread at the channel, before one is a
     * blocking read.
     */
    static final int IN_A_ROW = 3;

    /** Upper bound of that number, which grows after each read that a signal had to end. */
    private static final int MOST_IN_A_ROW = 4096;

    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final VerbsQueuePair qp;
    private final QpResources resources;
    private final ChannelEvents events;
    private final EventLoop loop;
    private boolean sleeping;

    /** Number of sleeps so far; a signal is for one of them. */
    private int sleeps;

    private int inARow;
    private int wantedInARow = IN_A_ROW;
    private int foreignTakes;

    /**
     * Identifier of the thread that read last, which is not kept alive, and its kernel number,
     * which costs a system call to learn.
     */
    private long reader;

    private int readerNumber;

    /** A signal was sent to this sleep, and the event thread checks whether it has worked. */
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

    /** Called by a thread that is about to {@link #sleep} for {@code nanos}. */
    void begin(long nanos) {
        assert Thread.holdsLock(qp);
        sleeping = true;
        sleeps++;
        signalled = false;
        boolean alone = foreignTakes == events.foreignTakes();
        foreignTakes = events.foreignTakes();
        inARow = nanos == Long.MAX_VALUE && alone ? Math.min(inARow, MOST_IN_A_ROW) + 1 : 0;
        if (inARow > wantedInARow) {
            long current = Thread.currentThread().threadId();
            if (reader != current) {
                reader = current;
                readerNumber = WakeSignal.self();
            }
            events.beginRead();
        }
    }

    /**
     * Sleeps until there is an event, the time is over, or {@link #rouse} is called. May return
     * early for no reason. Without the monitor.
     *
     * @return the argument of {@link #end}
     */
    int sleep(long nanos) {
        return events.beingRead()
                ? events.read() ? 1 : 0
                : Descriptors.await(
                        resources.awaitScratch, resources.cqs.compFd, resources.cqs.wakeFd, nanos);
    }

    /** Takes the event or wake-up that ended the sleep. Returns whether it was an event. */
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

    /**
     * Sends the signal again if the sleep goes on, because the thread may not have been in the call
     * yet. Event thread.
     */
    private void lookAgain(int signalledSleep) {
        synchronized (qp) {
            if (events.beingRead() && sleeps == signalledSleep) {
                signal();
            }
        }
    }
}
