package io.sdp4j.offload;

import java.util.concurrent.TimeUnit;

/**
 * How far the move of one connection has come, and the wait until it is clear how the peer goes on.
 *
 * <p>States: NEW, before it is started; YOUNG, on TCP; ASKED, a provider is asked, or a peer has
 * asked; MOVING, there is a stream, and each direction goes over to it as {@link Handover} says;
 * STAYS, on TCP until the end. {@code this} guards the state. Threads wait on it only in {@link
 * #hearsPeer} and, for at most a second, in {@link #awaitPeer}.
 */
abstract class UpgradeState {
    /** How long a thread waits for a peer that is about to move; usually microseconds. */
    private static final long PEER_NANOS = TimeUnit.SECONDS.toNanos(1);

    enum State {
        NEW,
        YOUNG,
        ASKED,
        MOVING,
        STAYS
    }

    /** Tells at which byte each direction goes over. */
    public final Handover handover;

    /** Whether this end has connected, and proposes the move. */
    final boolean proposes;

    volatile State state = State.NEW; // set under this, only here

    /** Whether a peer or a provider may hold another descriptor of the kernel's socket. */
    volatile boolean shown; // set under this, only here

    private boolean closed; // this
    private boolean aborted; // this
    private boolean limitless; // this: no limit will come by the stream
    private boolean queued; // this: ASKED, but no provider has been asked yet

    UpgradeState(Handover handover, boolean proposes) {
        this.handover = handover;
        this.proposes = proposes;
    }

    /** Goes on to YOUNG; false if it stays, as urgent data has gone already. */
    final boolean young() {
        assert Thread.holdsLock(this);
        if (state != State.NEW) {
            return false;
        }
        state = State.YOUNG;
        return true;
    }

    /**
     * Returns whether the caller may look for a stream; if so, it calls {@link Upgrade#attach} or
     * {@link #fail} afterwards.
     */
    final synchronized boolean begin() {
        if (closed || state != State.YOUNG) {
            return false;
        }
        state = State.ASKED;
        queued = proposes;
        shown |= !proposes;
        return true;
    }

    /** Whether a peer may see the kernel's socket, to prove that it has the other end. */
    final boolean show() {
        assert Thread.holdsLock(this);
        if (closed || state != State.YOUNG) {
            return false;
        }
        shown = true;
        return true;
    }

    /** Whether a provider may be asked now, which sees the kernel's socket. */
    final boolean ask() {
        assert Thread.holdsLock(this);
        if (!waitsForAnswer()) {
            return false;
        }
        queued = false;
        shown = true;
        return true;
    }

    /** The provider has no stream; {@code seen} tells whether the peer has the descriptor. */
    final void refused(boolean seen) {
        assert Thread.holdsLock(this);
        shown = seen;
    }

    /** False once it was closed or given up, and the answer does not matter. */
    final boolean waitsForAnswer() {
        assert Thread.holdsLock(this);
        return !closed && state == State.ASKED;
    }

    /** Goes back to YOUNG, to ask again later. */
    final void youngAgain() {
        assert Thread.holdsLock(this);
        state = State.YOUNG;
        notifyAll();
    }

    /** Goes back to YOUNG, as this end was short of something: the peer may ask again. */
    final synchronized void refusedHere() {
        if (waitsForAnswer()) {
            youngAgain();
        }
    }

    /** Goes on to MOVING, or to STAYS if the stream cannot be used. */
    final void moving(boolean usable) {
        assert Thread.holdsLock(this);
        state = usable ? State.MOVING : State.STAYS;
        notifyAll();
    }

    /** Goes from YOUNG to STAYS; false if it is in another state. */
    final synchronized boolean stay() {
        if (state != State.YOUNG) {
            return false;
        }
        state = State.STAYS;
        return true;
    }

    /** Stays on TCP until the end: there is no stream, and there will be none. */
    final synchronized void fail() {
        if (state == State.ASKED) {
            state = State.STAYS;
            notifyAll();
        }
    }

    /** Gives up a move that no provider was asked for yet. */
    final synchronized void failQueued() {
        if (queued) {
            fail();
        }
    }

    /** Stays on TCP if this end can still decide that alone; else returns false. */
    final boolean giveUp() {
        assert Thread.holdsLock(this);
        if (state != State.NEW && state != State.YOUNG && !(state == State.ASKED && proposes)) {
            return false;
        }
        state = State.STAYS;
        notifyAll();
        return true;
    }

    /**
     * Whether one that was made here stays on TCP until its end and no other process has seen its
     * socket: nothing is left to count or to tell. Once true, always true.
     */
    protected final boolean staysUnseen() {
        return state == State.STAYS && !shown && proposes;
    }

    /** The peer's limit is known, or none will come by the stream. */
    final void heardPeer(boolean limitKnown) {
        assert Thread.holdsLock(this);
        limitless = !limitKnown;
        notifyAll();
    }

    /** Whether the peer may still go on either way, by the stream or by TCP. */
    private boolean undecided() {
        return !closed
                && (state == State.ASKED
                        || (state == State.MOVING && !limitless && !handover.limitKnown()));
    }

    /**
     * Waits up to a second until it is clear whether the peer goes on by the stream. Called under
     * the monitor of this, which is released while it waits.
     *
     * @return whether it is clear
     */
    final boolean awaitPeer() {
        assert Thread.holdsLock(this);
        long start = System.nanoTime();
        boolean interrupted = false;
        try {
            while (undecided()) {
                long left = PEER_NANOS - (System.nanoTime() - start);
                if (left <= 0) {
                    return false;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits until it is clear how the peer goes on; false if its stream says nothing for a second.
     */
    final synchronized boolean hearsPeer() {
        boolean clear;
        do {
            clear = awaitPeer();
        } while (!clear && state == State.ASKED);
        return clear;
    }

    /** Notes that the application has closed the connection; returns whether it was MOVING. */
    final synchronized boolean noteClose(boolean abortive) {
        aborted |= abortive && !closed;
        closed = true;
        notifyAll();
        return state == State.MOVING;
    }

    /** Whether {@link #noteClose} was called, which comes before the kernel's socket is closed. */
    protected final synchronized boolean isClosed() {
        return closed;
    }

    /** Whether the application has closed the connection so that the peer is to see a reset. */
    final boolean isAborted() {
        assert Thread.holdsLock(this);
        return aborted;
    }
}
