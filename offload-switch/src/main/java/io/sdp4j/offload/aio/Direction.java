package io.sdp4j.offload.aio;

import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.InterruptedByTimeoutException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * One direction, reading or writing, of an offloaded asynchronous channel. It has at most one
 * operation, which owns its buffers from its start to its completion.
 *
 * {@snippet lang = text :
 *  IDLE --- start ---> TRYING --- would block ---> WAITING --- ready, closed, late, given up ---> CLAIMED
 *   ^                    |                           ^                                             |   |
 *   +----- complete -----+                           +---------- ready for no reason --------------+   |
 *   +------------------------------------------- complete ---------------------------------------------+
 * }
 *
 * <p>Only the thread that takes an operation from WAITING to CLAIMED completes it: a thread that
 * finds the stream ready, the timer, a thread that cancels, or the closer. The monitor guards the
 * first group of fields; the fields of the operation belong to the thread that tries or has claimed
 * it. While the monitor is held, only the group's timer is called.
 *
 * <p>An operation with a handler continues on a thread of the group, where its handler is called
 * anyway; if {@link Readiness} permits, on the thread that notices. An operation with a future
 * continues on the thread that noticed, so that it never waits for the application's threads.
 */
final class Direction implements Runnable, Pending.Owner {
    private enum State {
        IDLE,
        TRYING,
        WAITING,
        CLAIMED
    }

    private final AsyncStream owner;
    private final boolean reading;
    final int op;

    private State state = State.IDLE;
    private boolean killed; // an operation timed out or was cancelled: no further one
    private boolean shut;
    private boolean streamClosed;
    private int number; // of the last operation that had to wait
    private Future<?> timer;
    private boolean timerRan; // the timer of this operation

    private final OperationBuffers loan;
    private CompletionHandler<Number, Object> handler;
    private Object attachment;
    private Pending<Number> future;
    private long moved; // the outcome, together with failure
    private Throwable failure;
    private boolean toldReset; // a reset is told once, as by the kernel; then comes the end

    Direction(AsyncStream owner, boolean reading) {
        this.owner = owner;
        this.reading = reading;
        this.op = reading ? OffloadStream.READ : OffloadStream.WRITE;
        this.loan = new OperationBuffers(reading);
    }

    /**
     * Starts an operation.
     *
     * @param one null if there are {@code many}
     * @param timeout 0 or less = none
     * @param to null = the outcome goes to the future that is returned
     */
    @SuppressWarnings("unchecked") // Integer for one buffer, Long for many, as the caller asks
    <V extends Number, A> Future<V> start(
            ByteBuffer one,
            ByteBuffer[] many,
            long timeout,
            TimeUnit unit,
            A with,
            CompletionHandler<V, ? super A> to) {
        if (owner.gate.closed()) {
            return owner.group.deliver(to, with, null, new ClosedChannelException());
        }
        CompletionHandler<Number, Object> target = (CompletionHandler<Number, Object>) to;
        boolean room = many != null || one.hasRemaining();
        boolean over = begin(room);
        if (over && !reading) {
            return (Future<V>)
                    owner.group.deliver(target, with, null, new ClosedChannelException());
        }
        if (over || !room) {
            Number value = boxed(over ? -1 : 0, many != null);
            return (Future<V>) owner.group.deliver(target, with, value, null);
        }
        try {
            loan.take(one, many);
        } catch (RuntimeException | Error e) { // the buffers cannot be used
            forget();
            return (Future<V>) owner.group.deliver(target, with, null, e);
        }
        if (!owner.gate.enter()) {
            outcome(0, new AsynchronousCloseException());
        } else {
            try {
                boolean lent = owner.stream.wantsLoan(op, loan);
                if (lent) {
                    owner.stream.lend(op, loan);
                }
                // as in the JDK: what needs no room may still have to wait for its thread
                boolean later = target != null && !loan.anyRoom() && !owner.group.triesAtOnce();
                if ((later || !tried(false)) && !unitMissing(timeout, unit)) {
                    handler = target;
                    attachment = with;
                    future = target == null ? new Pending<>(this, owner.channel) : null;
                    Pending<Number> result = future;
                    if (!lent) {
                        owner.stream.lend(op, loan);
                    }
                    lent = true;
                    if (!standBy(await(timeout, unit), target == null)) {
                        return (Future<V>) result; // the loan ends with the operation
                    }
                }
                if (lent) {
                    owner.stream.reclaim(op, timedOut());
                }
            } finally {
                owner.gate.leave();
            }
        }
        long n = moved;
        Throwable thrown = failure;
        forget();
        Number value = thrown == null ? boxed(n, many != null) : null;
        return (Future<V>) owner.group.deliver(target, with, value, thrown);
    }

    /** Admits one operation; returns whether the direction was shut down. */
    private synchronized boolean begin(boolean room) {
        if (killed) {
            throw new IllegalStateException(
                    (reading ? "Reading" : "Writing")
                            + " not allowed due to timeout or cancellation");
        }
        if (state != State.IDLE) {
            throw reading ? new ReadPendingException() : new WritePendingException();
        }
        if (!shut && room) {
            state = State.TRYING;
        }
        return shut;
    }

    private static Number boxed(long n, boolean several) {
        return several ? (Number) n : (Number) (int) n;
    }

    private void outcome(long n, Throwable thrown) {
        moved = n;
        failure = thrown;
    }

    // --- moving bytes; in the gate ---

    /**
     * Moves the bytes that can be moved and sets the outcome; false = nothing can be moved now.
     *
     * @param waited whether the operation has waited: without room it then ends only if the stream
     *     is ready
     */
    private boolean tried(boolean waited) {
        try {
            if (waited && !loan.anyRoom() && (owner.stream.ready() & op) == 0) {
                return false;
            }
            outcome(loan.move(owner.stream), null);
            return moved != 0 || !loan.anyRoom();
        } catch (IOException | RuntimeException | Error e) {
            boolean reset = reading && "Connection reset".equals(e.getMessage());
            if (reset && toldReset) {
                outcome(-1, null);
            } else {
                toldReset |= reset;
                outcome(0, asChannelsSay(e));
            }
            return true;
        }
    }

    /**
     * Replaces a {@link SocketException}, which channels do not throw, by an {@link IOException}.
     */
    private static Throwable asChannelsSay(Throwable e) {
        return e instanceof SocketException ? new IOException(e.getMessage(), e) : e;
    }

    // --- waiting ---

    /** Fails an operation that has to wait and has a time-out without a unit, as the JDK does. */
    private boolean unitMissing(long timeout, TimeUnit unit) {
        boolean missing = timeout > 0 && unit == null;
        if (missing) {
            outcome(0, new NullPointerException());
        }
        return missing;
    }

    /**
     * Makes the operation wait, under a number of its own: a late thread or timer must not touch
     * the next operation.
     */
    private synchronized int await(long timeout, TimeUnit unit) {
        int mine = ++number;
        state = State.WAITING;
        timerRan = false;
        timer = timeout > 0 ? owner.group.schedule(() -> onTimeout(mine), timeout, unit) : null;
        return mine;
    }

    /**
     * Goes back from CLAIMED to WAITING; false = the time was over meanwhile, and the outcome is
     * set.
     */
    private synchronized boolean awaitAgain() {
        if (timerRan) {
            killed = true;
            outcome(0, new InterruptedByTimeoutException());
            return false;
        }
        state = State.WAITING;
        return true;
    }

    private synchronized boolean claim() {
        if (state != State.WAITING) {
            return false;
        }
        state = State.CLAIMED;
        return true;
    }

    private synchronized boolean claim(int mine) {
        return mine == number && claim();
    }

    /** Whether the operation with this number still waits. */
    synchronized boolean waits(int mine) {
        return mine == number && state == State.WAITING;
    }

    /**
     * Leaves a waiting operation to the stream. Called in the gate. The operation may end at any
     * moment, and the next one may wait already.
     *
     * @param mine the operation's number
     * @param forFuture whether the operation has a future
     * @return true if the operation is over after all; then the caller has claimed it
     */
    private boolean standBy(int mine, boolean forFuture) {
        while (true) {
            // A closer that came before this operation waited leaves it to us.
            if (owner.gate.closed()) {
                if (!claim(mine)) {
                    return false;
                }
                outcome(0, new AsynchronousCloseException());
                return true;
            }
            if (owner.readiness.await(this, mine, forFuture)) {
                return false;
            }
            if (!claim(mine)) {
                onReady(false); // the next operation may wait, and is not told again
                return false;
            }
            if (tried(true) || !awaitAgain()) {
                return true;
            }
        }
    }

    /**
     * Called on a thread of the provider when something may be ready. Continues here an operation
     * with a future only.
     */
    void onCall() {
        boolean here;
        synchronized (this) {
            if (state != State.WAITING) {
                return;
            }
            here = future != null && claim();
        }
        if (here) {
            run();
        } else {
            // the application's executor may block, or run the handler at once
            ConnectThreads.startApart(() -> onReady(false));
        }
    }

    /**
     * Called when something may be ready, on a thread of the group or a thread that has changed the
     * stream.
     *
     * @param direct whether this is a thread of the group that may call a handler
     */
    void onReady(boolean direct) {
        if (direct ? claim() : claimFromOutside()) {
            run();
        }
    }

    /**
     * Claims the operation on a thread that may not call a handler. Passes an operation with a
     * handler to the group, and does so in the gate, because the group may end with the channel.
     *
     * @return whether the caller has to go on with the operation
     */
    private boolean claimFromOutside() {
        if (!owner.gate.enter()) {
            return false; // the closer ends a waiting operation
        }
        try {
            if (!claim()) {
                return false;
            }
            if (handler == null) {
                return true;
            }
            owner.group.execute(this);
            return false;
        } catch (RejectedExecutionException e) {
            forget(); // the executor is gone, and with it the handler's threads
            throw e;
        } finally {
            owner.gate.leave();
        }
    }

    /** Goes on with a claimed operation. */
    @Override
    public void run() {
        if (handler != null) {
            owner.group.taskBegins();
        }
        if (!owner.gate.enter()) {
            if (leftToCloser()) {
                return;
            }
            outcome(0, new AsynchronousCloseException());
        } else {
            try {
                boolean forFuture = handler == null;
                int mine = number;
                if (!tried(true) && (awaitAgain() && !standBy(mine, forFuture))) {
                    return;
                }
                owner.stream.reclaim(op, timedOut());
            } finally {
                owner.gate.leave();
            }
        }
        complete(true);
    }

    private void onTimeout(int mine) {
        if (!owner.gate.enter()) {
            return; // the closer ends a waiting operation
        }
        try {
            synchronized (this) {
                if (mine != number) {
                    return;
                }
                timerRan = true;
                if (!claim()) {
                    return;
                }
                killed = true;
            }
            giveBack();
            outcome(0, new InterruptedByTimeoutException());
            complete(false); // in the gate: the group may end with the channel
        } finally {
            owner.gate.leave();
        }
    }

    /** Whether the time was over while the operation was tried. */
    private boolean timedOut() {
        return failure instanceof InterruptedByTimeoutException;
    }

    /** Ends the loan of an operation that was given up. Called in the gate. */
    private void giveBack() {
        owner.stream.reclaim(op, true);
        owner.readiness.forget(this);
    }

    /** Ends a claimed operation with its outcome. */
    private void complete(boolean onGroupThread) {
        CompletionHandler<Number, Object> to = handler;
        Object with = attachment;
        Pending<Number> result = future;
        Throwable thrown = failure;
        Number value = thrown == null ? boxed(moved, loan.several()) : null;
        forget();
        if (to == null) {
            result.finish(value, thrown);
        } else if (onGroupThread) {
            SwitchChannelGroup.call(to, with, value, thrown);
        } else {
            owner.group.invokeIndirectly(to, with, value, thrown);
        }
    }

    /** Forgets the operation, which is over, so that the next one may begin. */
    private void forget() {
        loan.end();
        handler = null;
        attachment = null;
        future = null;
        failure = null;
        synchronized (this) {
            if (timer != null) {
                boolean _ = timer.cancel(false);
            }
            timer = null;
            state = State.IDLE;
        }
    }

    // --- from outside ---

    @Override
    public boolean giveUp(Pending<?> operation) {
        synchronized (this) {
            if (future != operation || !claim()) {
                return false;
            }
            killed = true;
        }
        if (owner.gate.enter()) {
            try {
                giveBack();
            } finally {
                owner.gate.leave();
            }
        }
        forget();
        return true;
    }

    /** Forbids further operations, because the connect was cancelled. */
    synchronized void kill() {
        killed = true;
    }

    /**
     * Makes later operations find the direction shut down; a waiting operation is left to the
     * stream.
     */
    synchronized void shutDown() {
        shut = true;
    }

    synchronized boolean isShut() {
        return shut;
    }

    /**
     * Goes back from CLAIMED to WAITING when the gate is closed but the stream is not: until its
     * close the stream may use the buffers. False = the stream is closed.
     */
    private synchronized boolean leftToCloser() {
        if (!streamClosed) {
            state = State.WAITING;
        }
        return !streamClosed;
    }

    /** Fails a waiting operation. Called when the stream is closed. */
    void closed() {
        boolean waits;
        synchronized (this) {
            streamClosed = true;
            waits = claim();
        }
        if (waits) {
            outcome(0, new AsynchronousCloseException());
            complete(false);
        }
    }
}
