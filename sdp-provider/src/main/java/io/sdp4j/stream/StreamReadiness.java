package io.sdp4j.stream;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.wire.SdpMachine;

/**
 * Tells which operations of a stream are ready, and arranges notifications: for a waiter, for the
 * thread that has the notify descriptor, or for the event thread, which looks after streams without
 * a thread.
 *
 * <p>Guarded by the stream's lock. Methods that say so take it themselves.
 */
final class StreamReadiness implements BlockedThreads.Stream {
    /** Most polls of the queue before the event thread is asked to go on. */
    private static final int MAX_ROUNDS = 16;

    private final StreamCore core;
    private BlockedThreads blocked;

    /**
     * The notify descriptor was given to a caller, which sees what comes. A call on the event
     * thread that is still on its way must not then ask for a notification instead.
     */
    private boolean watched;

    /** A request for a notification failed, and has ended the one before. */
    private boolean failed;

    /**
     * Not null while {@code IdleTrimmer} does not look at this stream: run when the stream is used.
     */
    private Runnable atRest;

    StreamReadiness(StreamCore core) {
        this.core = core;
    }

    /** Called once, before use. */
    void begin(BlockedThreads who) {
        blocked = who;
    }

    /**
     * Changes a stream that is not released, and wakes the threads that this concerns. Takes the
     * lock. Not on the data path: each lambda is a class at the start.
     */
    void change(Runnable change) {
        int wake = 0;
        synchronized (core) {
            if (!core.released()) {
                core.enter();
                change.run();
                wake = core.takeWakeOps();
            }
        }
        blocked.signal(wake);
    }

    /** Takes the lock. */
    @Override
    public int ready(int ops) {
        return ready(ops, true);
    }

    @Override
    public int known(int ops) {
        return ready(ops, false);
    }

    private int ready(int ops, boolean asking) {
        int ready;
        int wake;
        synchronized (core) {
            if (!asking && ops == OffloadStream.READ && nothingToRead()) {
                return 0; // the queue is looked at by the thread that waits in it
            }
            core.enter();
            if (asking || core.queue.known()) {
                core.progress();
            }
            ready = readyOps(ops);
            wake = core.takeWakeOps();
        }
        if (wake != 0) {
            blocked.signal(wake);
        }
        return ready;
    }

    /** Whether there is certainly nothing to read, as before most waits of most streams. */
    private boolean nothingToRead() {
        return core.straight
                && core.inbox.urgentCome == 0
                && core.bufferedCopy.steady()
                && core.qps.reading == core.qps.current
                && core.qps.current.unread.isEmpty()
                && core.inbox.left() == 0;
    }

    /** Those of {@code ops} that are ready. The reader's own fields are looked at as a hint. */
    private int readyOps(int ops) {
        assert Thread.holdsLock(core);
        if (core.end.silent()) {
            return 0;
        }
        if (core.end.reset() || core.end.closing()) {
            return ops;
        }
        int ready = 0;
        if ((ops & OffloadStream.READ) != 0 && readable()) {
            ready |= OffloadStream.READ;
        }
        if ((ops & OffloadStream.WRITE) != 0 && (core.end.outputShut() || writable(core.machine))) {
            ready |= OffloadStream.WRITE;
        }
        return ready;
    }

    private boolean readable() {
        return core.inbox.readable() || offered() || core.inbox.isShut() || core.end.finSeen();
    }

    private boolean writable(SdpMachine m) {
        boolean room = m.writable() || core.coalescer.isOpen();
        if (core.lending != null && core.lending.writes().active()) {
            ZcopyWrite loan = core.lending.writes();
            return loan.settled() && (loan.untold() || room);
        }
        return room;
    }

    /** Whether there is something to read that was not delivered. */
    private boolean offered() {
        return core.lending != null
                && (core.lending.reads().ready() || core.lending.reads().offered());
    }

    /** See {@link OffloadStream#room}. Takes the lock. */
    int room() {
        long room = 0;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            if (readyOps(OffloadStream.WRITE) != 0) {
                int messages = Math.max(1, core.machine.credit() - SdpMachine.CONTROL_CREDITS);
                room = (long) messages * core.slots.nextPayload();
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return (int) Math.min(room, Integer.MAX_VALUE);
    }

    /**
     * Returns the queue in which what a caller waits for will come, after sending what was
     * gathered; null if some of {@code ops} is ready. Also null after a move of the session: a
     * thread that is not in {@link BlockedThreads} does not keep a later queue open, as the
     * descriptor keeps the first one. Takes the lock.
     */
    CompletionQueue waitsIn(int ops) {
        CompletionQueue queue;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            core.coalescer.flushUnlessLast();
            boolean waits = readyOps(ops) == 0 && !core.suspension.ever();
            queue = waits ? core.queue : null;
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return queue;
    }

    /** See {@link OffloadStream#holdNotify}. Takes the lock. */
    int holdNotify(int ops) {
        int answer;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            core.coalescer.flushUnlessLast(); // as in requestNotify
            boolean held = core.queue.rung() && !core.suspension.ever() && !unattended();
            answer = held ? readyOps(ops) : -1;
            if (held) {
                leaveToDescriptor(); // the caller relies on the byte that is there
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return answer;
    }

    /** See {@link OffloadStream#notifyFd}. Takes the lock. */
    @Override
    public int notifyFd() {
        synchronized (core) {
            // Another connection may have the number of one that is over.
            return core.suspension.ever() ? -1 : core.qps.descriptor();
        }
    }

    /** Takes the lock. */
    @Override
    public void leaveDescriptor() {
        int wake;
        synchronized (core) {
            core.enter();
            if ((watched || failed) && !core.released()) {
                lookAfterItself();
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    /** See {@link OffloadStream#requestNotify}. Takes the lock. */
    @Override
    public int requestNotify(int ops) {
        int answer;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            if (ops != 0) {
                // A thread that is about to wait for an answer has written all of the question:
                // send it.
                core.coalescer.flushUnlessLast();
            }
            if (core.suspension.ever()) {
                core.queue.releaseDescriptor();
                lookAfterItself();
                answer = OffloadStream.NO_DESCRIPTOR;
            } else if (ops == 0 || unattended() || core.queue.descriptor() < 0) {
                core.queue.releaseDescriptor();
                lookAfterItself();
                answer = ops == 0 ? 0 : -1;
            } else {
                answer = armDescriptor(ops);
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return answer;
    }

    private int armDescriptor(int ops) {
        assert Thread.holdsLock(core);
        int ready = readyOps(ops);
        for (int n = 0; ready == 0; n++) {
            if (n == MAX_ROUNDS) {
                return ops; // a busy peer must not keep this thread: it may come back
            }
            // A reader need not be told of credits, but a message of our own may wait for them.
            boolean quietToo = (ops & OffloadStream.WRITE) != 0 || !core.machine.writable();
            failed = !core.queue.armDescriptor(quietToo);
            if (!failed) {
                leaveToDescriptor();
                return 0;
            }
            core.progress();
            ready = readyOps(ops);
        }
        boolean rung = core.queue.rung();
        if (rung) {
            leaveToDescriptor(); // as in holdNotify
        }
        return rung ? ready | OffloadStream.RUNG : ready;
    }

    /**
     * The descriptor's owner sees all that comes, but perhaps too late for a request of the peer: a
     * stream that lends does not stay at rest.
     */
    private void leaveToDescriptor() {
        watched = true;
        if (atRest != null && core.lending != null) {
            atRest.run();
        }
    }

    /** Takes the lock. */
    @Override
    public boolean armUnlessReady(int ops) {
        boolean armed;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            watched = false;
            armed = false;
            for (int n = 0; n < MAX_ROUNDS && !armed && readyOps(ops) == 0; n++) {
                armed = core.queue.arm();
                failed = !armed;
                if (failed) {
                    core.progress();
                }
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return armed;
    }

    /**
     * On the event thread: something completed while a virtual thread was parked, or after the
     * application closed. Takes the lock.
     *
     * @return false if the stream was released
     */
    boolean onNotify() {
        int wake;
        synchronized (core) {
            if (core.released()) {
                return false;
            }
            core.enter();
            core.progress();
            if (atRest != null) {
                atRest.run();
            }
            if (!watched) {
                lookAfterItself();
            }
            wake = core.takeWakeOps();
        }
        try {
            blocked.signalHere(wake);
        } catch (OutOfMemoryError e) { // this runs again, and must find what is to be told
            synchronized (core) {
                core.wake(wake);
            }
            throw e;
        }
        return true;
    }

    /**
     * Puts the stream at rest: {@code IdleTrimmer} does not look at it any more. From then on a
     * thread that waits in the stream must see what comes, or a notification must tell of it. With
     * the lock.
     *
     * @param onUse runs when something has come, and calls {@link #stir}
     * @return false if something has come already; or if only the notify descriptor tells of it,
     *     and the peer may ask for a buffer back: the descriptor's owner may look late
     */
    boolean trim(Runnable onUse) {
        assert Thread.holdsLock(core);
        atRest = onUse;
        if ((watched && core.lending == null)
                || blocked.sleeps(this::onLeft)
                || (!watched && core.queue.arm())) {
            return true;
        }
        atRest = null;
        if (!watched) {
            lookAfterItself(); // the request that failed has ended the one before
        }
        return false;
    }

    /** {@code IdleTrimmer} looks at this stream again. With the lock. */
    void stir() {
        assert Thread.holdsLock(core);
        atRest = null;
    }

    /** The thread that waited in a stream at rest has left it. Takes the lock. */
    private void onLeft() {
        int wake;
        synchronized (core) {
            if (core.released() || atRest == null) {
                return;
            }
            core.enter();
            if (core.queue.ready()) {
                atRest.run(); // it was woken, and need not be rung for
            } else if (!watched) {
                lookAfterItself();
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    /**
     * Asks for a notification while there is work for which no thread waits: a closing hand-shake,
     * an end of stream that waits for credits, input to be thrown away so that the peer can write
     * on, a buffer whose operation was given up, small writes that wait for the peer to read, an
     * answer to SuspComm, a parked virtual thread, a request of the peer to a stream at rest.
     */
    void lookAfterItself() {
        assert Thread.holdsLock(core);
        watched = false;
        failed = false;
        for (int n = 0; needsNotification() && !core.queue.arm(); n++) {
            if (n == MAX_ROUNDS) {
                // A busy peer must not keep this thread, nor its timers: tasks go before them.
                core.later(core.life::onNotify, 0);
                return;
            }
            core.progress();
        }
    }

    /**
     * As {@link #lookAfterItself}, unless another thread has the notify descriptor.
     *
     * @return false if one has: the stream is to be looked after in another way
     */
    boolean attend() {
        assert Thread.holdsLock(core);
        if (watched) {
            return false;
        }
        lookAfterItself();
        return true;
    }

    private boolean needsNotification() {
        return unattended() || atRest != null || blocked.relyOnNotification();
    }

    private boolean unattended() {
        boolean lingers = core.lending != null && core.lending.lingers();
        boolean ends = core.end.closing() || core.inbox.isShut() || !core.end.drained();
        boolean waits = core.coalescer.waits();
        return (ends || lingers || waits || core.suspension.asked()) && !core.end.over();
    }
}
