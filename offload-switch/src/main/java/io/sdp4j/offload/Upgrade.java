package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;

/**
 * One connection that began on kernel TCP and may move onto an offload stream; subclasses adapt it
 * to a kind of socket. The end that connected proposes the move, on a thread of ours, once the
 * connection is worth moving; the application does not wait for the proposal.
 *
 * <p>States: NEW, before {@link #start}; YOUNG, on TCP; ASKED, a provider is asked, or a peer has
 * asked; MOVING, there is a stream, and each direction goes over to it as {@link Handover} says;
 * STAYS, on TCP until the end. {@code this} guards the state. Threads wait on it only in {@link
 * #goesOn} and, for at most a second, in {@link #urgentByStream}.
 *
 * <p>An end of TCP is not taken for the end of the data before it is clear whether the peer has
 * gone on by the stream.
 */
public abstract class Upgrade {
    /** How long a thread waits for a peer that is about to move; usually microseconds. */
    private static final long PEER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Up to this delay a timer asks the peer again; after a longer one the application's next call
     * does.
     */
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(5);

    private enum State {
        NEW,
        YOUNG,
        ASKED,
        MOVING,
        STAYS
    }

    protected final OffloadSwitch owner;
    protected final ReentrantLock readLock;
    protected final ReentrantLock writeLock;

    /** Tells at which byte each direction goes over. */
    public final Handover handover;

    protected final ToldReset reset = new ToldReset(); // also the stream's
    protected volatile boolean inputShut;
    protected volatile boolean outputShut;

    private final UpgradeTrigger trigger;
    private final Decision decision; // null for an accepted one, which does not propose
    private final AcceptedTable table; // null for a connected one

    private volatile State state = State.NEW; // set under this
    private volatile boolean unlisted; // set under this: to be put into table by list()

    /** Whether a peer or a provider may hold another descriptor of the kernel's socket. */
    private volatile boolean shown; // set under this

    private volatile boolean peerAsked; // about the move of one that was made here; for good

    private boolean broken; // this: bytes of the stream may be lost

    private boolean closed; // this
    private boolean aborted; // this
    private boolean limitless; // this: no limit will come by the stream
    private boolean queued; // this: ASKED, but no provider has been asked yet
    private ConnectionInfo kernelInfo; // this
    private long movedAfterMillis; // this
    private PeerLimit limit; // set under this, once: before it is MOVING

    /**
     * @param decision the rules' decision on a connection that was made here; null for an accepted
     *     one
     * @param table where a peer finds an accepted connection; null for one that was made here
     * @param began its locks and counts so far
     */
    protected Upgrade(
            OffloadSwitch owner,
            Decision decision,
            AcceptedTable table,
            ConnectionInfo kernelInfo,
            Began began) {
        this.owner = owner;
        this.readLock = began.readLock();
        this.writeLock = began.writeLock();
        this.handover = new Handover(began.sent(), began.received());
        this.trigger = new UpgradeTrigger(owner.upgradePolicy(), owner.answered, handover, began);
        this.decision = decision;
        this.table = table;
        this.kernelInfo = kernelInfo;
    }

    /** Begins, once it is connected: from now on a peer may find it, or it may propose to move. */
    public final void start() {
        startLater();
        list();
        consider();
    }

    /**
     * As {@link #start} for a connection whose reader and writer do not know this object yet: the
     * next byte that is counted here may lead to the proposal, and {@link #list} lets peers find
     * it.
     */
    public final synchronized void startLater() {
        if (state == State.NEW) { // else it stays, as urgent data has gone already
            state = State.YOUNG;
            unlisted = table != null;
        }
    }

    /** Lets peers find an accepted connection from now on. Idempotent. */
    protected final void list() {
        if (!unlisted) {
            return;
        }
        synchronized (this) {
            if (closed) {
                return;
            }
            unlisted = false;
        }
        table.add(this);
    }

    // --- what the kinds of sockets do ---

    /** The local address of the kernel's socket, once this is started; also after the close. */
    protected abstract InetSocketAddress local();

    /** The peer's address; available like {@link #local}. */
    protected abstract InetSocketAddress remote();

    /** How the application waits for this connection. */
    protected abstract UpgradePolicy.Waits waits();

    /** The kernel's descriptor. Called while the connection is open. */
    protected abstract FileDescriptor fileDescriptor();

    private int descriptor() {
        return JdkBridge.value(fileDescriptor());
    }

    /**
     * Takes the stream that carries the rest of the connection. Called under the monitor of this.
     */
    protected abstract StreamHandle take(OffloadStream stream) throws IOException;

    /** The result of {@link #take}, or null before it. */
    protected abstract StreamHandle taken();

    /** The other end's limit is known; on a thread of the provider. */
    protected abstract void onLimitKnown();

    /**
     * The caller has given a data lock back and holds none: a close or a move may have waited for
     * it.
     */
    protected void gaveLockBack() {
        leaveStream();
    }

    /** Ends the output by TCP. Called by the closer under the write lock. */
    protected abstract void endKernelOutput() throws IOException;

    // --- for the reader and the writer ---

    /** Counts {@code n} bytes that came by TCP. Called by the holder of the read lock. */
    public final void received(long n) {
        handover.received(n);
        try {
            noteFinished();
            trigger.received();
            consider();
        } catch (OutOfMemoryError e) {
            // the caller has the bytes, and must say so
        }
    }

    /**
     * Tells the stream that the reader stands at its first byte, if everything that comes by TCP
     * has come.
     */
    private void noteFinished() {
        if (handover.finished()) {
            taken().readerBehind(false);
        }
    }

    /**
     * Called when a call that began before this object existed has given back its data lock; it may
     * have read.
     */
    public final void earlyCallLeft() {
        noteFinished();
        wrote();
    }

    /** Counts {@code n} bytes that have gone by TCP. Called by the holder of the write lock. */
    public final void sent(long n) {
        handover.sent(n);
        try {
            trigger.sent();
            consider();
        } catch (OutOfMemoryError e) {
            // the bytes have gone, and the caller would send them again
        }
    }

    /**
     * Called by the holder of the write lock when a write by TCP has failed and a part of it may
     * have gone. The output stays on TCP: no limit can be told after bytes that were not counted.
     */
    public final void sentUncounted() {
        handover.stay();
    }

    private void consider() {
        if (state == State.YOUNG && decision != null && trigger.due(waits())) {
            Runnable proposal = this::proposeOrStay; // first: there may be no memory for it
            if (begin() && !ConnectThreads.startMove(proposal)) {
                stayForNow(); // the bytes of the caller count
            }
        }
    }

    /**
     * Decides whether this connection stays on TCP until its end, so that its bytes need no count:
     * it is not worth moving, and no peer can ask for a connection that was made here. Called at
     * each read and write of a channel.
     *
     * @return whether it stays; true only once
     */
    protected final boolean neverMoves() {
        if (decision == null || state != State.YOUNG || waits() != UpgradePolicy.Waits.SELECTOR) {
            return false;
        }
        if (!trigger.carriesLittle()) {
            return false;
        }
        synchronized (this) {
            if (state != State.YOUNG) {
                return false;
            }
            state = State.STAYS;
            return true;
        }
    }

    /**
     * Whether one that was made here stays on TCP until its end and no other process has seen its
     * socket: nothing is left to count or to tell. Once true, always true.
     */
    protected final boolean staysUnseen() {
        return state == State.STAYS && !shown && decision != null;
    }

    /**
     * Moves the output if there is a stream. Called by the holder of the write lock before it
     * writes.
     *
     * @return whether the output has moved
     */
    public final boolean moveOut() {
        if (handover.outMoved()) {
            return true;
        }
        if (state == State.MOVING
                && handover.mayMove()
                // the end that proposed may give the stream up until it has told its limit
                && (decision != null || handover.limitKnown())) {
            StreamHandle stream = taken();
            if (stream != null && tellLimit(stream)) {
                handover.moveOut();
                if (decision != null) {
                    countMove();
                }
                return true;
            }
        }
        return false;
    }

    /** Without memory for it the output does not move yet. */
    private boolean tellLimit(StreamHandle stream) {
        try {
            return stream.begin(handover.limitToTell());
        } catch (OutOfMemoryError e) {
            return false; // thrown to a caller whose bytes have gone or come, it would hide that
        }
    }

    /**
     * Moves the output if no thread writes; a thread that writes moves it with its next write.
     * Called with no lock held.
     */
    final void moveOutNow() {
        if (writeLock.tryLock()) {
            try {
                moveOut();
            } finally {
                writeLock.unlock();
            }
        }
        gaveLockBack(); // if another thread has the lock for that only, it looks again
    }

    /**
     * Moves the output if a stream came while the write lock was held, because the peer waits for
     * the limit. Called after the write lock was given back, with no lock held.
     */
    protected final void wrote() {
        if (state == State.MOVING && !handover.outMoved()) {
            moveOutNow();
        } else {
            gaveLockBack();
        }
    }

    /**
     * Keeps the output, which is about to end, from moving; a thread that writes now may still move
     * it.
     */
    protected final void endOut() {
        if (writeLock.tryLock()) {
            try {
                handover.stay();
            } finally {
                writeLock.unlock();
            }
            leaveStream();
        }
    }

    /** A data lock was given back: one that closes may have relied on that. Without a lock. */
    private void leaveStream() {
        if (taken() != null) {
            taken().leave();
        }
    }

    /**
     * Decides whether an urgent byte goes by the stream. Called by the holder of the write lock
     * before it sends the byte. The peer's reader may count an urgent byte of TCP or not, so the
     * output cannot move after one: an end that proposed to move gives the move up. An accepted end
     * cannot; if {@code whole}, it waits up to a second for the peer's limit.
     *
     * @param whole whether this kind of socket cannot have its input moved and its output on TCP
     * @throws SocketException if the peer has not told its limit in time
     */
    public final boolean urgentByStream(boolean whole) throws SocketException {
        if (!handover.outMoved()) {
            synchronized (this) {
                if (beforeStream()) {
                    state = State.STAYS;
                    notifyAll();
                } else if (whole && decision == null && !awaitPeer()) {
                    // the peer's writer waits for this end to read, as with a full buffer of TCP
                    throw new SocketException("No buffer space available");
                }
            }
            if (!moveOut()) {
                handover.stay();
                return false;
            }
        }
        if (!handover.limitKnown()) {
            synchronized (this) {
                // A peer that tells its limit has taken ours, which came before the urgent byte.
                // Only then may its reader stand at the mark.
                boolean _ = awaitPeer();
            }
        }
        return true;
    }

    /**
     * Waits up to a second until it is clear whether the peer goes on by the stream. Called under
     * the monitor of this, which is released while it waits.
     *
     * @return whether it is clear
     */
    private boolean awaitPeer() {
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

    /** Whether this end can still decide alone that the connection stays on TCP. */
    private boolean beforeStream() {
        return state == State.NEW
                || state == State.YOUNG
                || (state == State.ASKED && decision != null);
    }

    /** Whether the peer may still go on either way, by the stream or by TCP. */
    private boolean undecided() {
        return !closed
                && (state == State.ASKED
                        || (state == State.MOVING && !limitless && !handover.limitKnown()));
    }

    /**
     * Returns whether the stream goes on where TCP ended. Called by the holder of the read lock
     * when TCP has reported an end. A move that no provider was asked for yet is given up. Else
     * waits until that is clear: a provider that was asked answers within its time, and the stream
     * of a peer that is gone ends. A peer whose stream says nothing, because it is stopped or
     * hostile, is waited for a second at most: it would have told its limit before it ended TCP.
     *
     * @throws IOException if TCP has ended before all bytes had come that should come by it, or the
     *     stream is lost
     */
    public final boolean goesOn() throws IOException {
        synchronized (this) {
            if (queued && state == State.ASKED) { // the end does not wait for the queue
                state = State.STAYS;
                notifyAll();
            }
        }
        if (!hearsPeer()) {
            boolean _ = limit.take(); // the thread that would may be late
            synchronized (this) {
                limitless = !handover.limitKnown();
            }
        }
        boolean lost;
        synchronized (this) {
            lost = broken && !closed;
            if (!lost && (closed || !handover.limitKnown())) {
                return false;
            }
        }
        if (lost || !handover.finished()) {
            if (reset.tellsReader()) {
                throw new SocketException("Connection reset");
            }
            return false;
        }
        return true;
    }

    /**
     * Whether the peer's process has ended with input unread although TCP ended in order: only this
     * end's output had moved. Called by the holder of the read lock after {@link #goesOn} returned
     * false.
     */
    protected final boolean leftUnread() {
        StreamHandle stream = taken();
        return stream != null && handover.outMoved() && stream.leftUnread();
    }

    /**
     * Waits until it is clear how the peer goes on; false if its stream says nothing for a second.
     */
    private synchronized boolean hearsPeer() {
        boolean clear;
        do {
            clear = awaitPeer();
        } while (!clear && state == State.ASKED);
        return clear;
    }

    // --- the way to a stream ---

    /**
     * Returns whether the caller may look for a stream; if so, it calls {@link #attach} or {@link
     * #fail} afterwards.
     */
    final synchronized boolean begin() {
        if (closed || state != State.YOUNG) {
            return false;
        }
        state = State.ASKED;
        queued = decision != null;
        shown |= decision == null;
        return true;
    }

    final synchronized void withDescriptor(IntConsumer use) {
        if (!closed && state == State.YOUNG) {
            shown = true;
            use.accept(descriptor());
        }
    }

    /**
     * Proposes the move. If that throws, the connection stays, so that no reader waits for an
     * answer.
     */
    private void proposeOrStay() {
        boolean done = false;
        try {
            propose();
            done = true;
        } finally {
            if (!done) {
                fail();
            }
        }
    }

    private void propose() {
        if (!owner.admitsUpgrades()) {
            stayForNow();
            return;
        }
        InetSocketAddress local;
        InetSocketAddress remote;
        int number;
        synchronized (this) {
            if (closed || state != State.ASKED) {
                return;
            }
            queued = false;
            shown = true;
            local = local(); // both before a close, which may linger under a lock of the JDK's
            remote = remote();
            number = descriptor();
        }
        Attempt attempt =
                owner.connects.upgrade(
                        decision, local, remote, number, this::isClosed, _ -> peerAsked = true);
        if (attempt.stream() != null) {
            attach(attempt.stream());
        } else {
            boolean again;
            boolean news = false;
            synchronized (this) {
                shown = peerAsked;
                long nanos = trigger.askAgainNanos(attempt.reason());
                again = nanos > 0 && state == State.ASKED && !closed; // else given up
                if (!again || attempt.reason() != ReasonCode.NOT_ACCEPTED) {
                    news = kernelInfo.reason() != attempt.reason();
                    staysFor(attempt);
                }
                if (again) {
                    trigger.postpone(nanos);
                    state = State.YOUNG;
                    notifyAll();
                    if (nanos <= SOON_NANOS) {
                        // the application may be waiting for the peer and make no call by then
                        CompletableFuture.delayedExecutor(
                                        nanos, TimeUnit.NANOSECONDS, ConnectThreads::startMove)
                                .execute(this::consider);
                    }
                }
            }
            if (!again) {
                OffloadSwitch.Log.OUT.debug("{} stays on TCP: {}", remote, attempt.detail());
                fail();
            } else if (news) {
                OffloadSwitch.Log.OUT.debug(
                        "{} stays on TCP until it asks again: {}", remote, attempt.detail());
            }
        }
    }

    /** One that was made here is on TCP for another reason than before. Under the lock of this. */
    private void staysFor(Attempt why) {
        assert Thread.holdsLock(this);
        owner.counters().stays(kernelInfo.reason(), why.reason());
        kernelInfo = why.kernelInfo();
    }

    /** The next call of the application asks again, once the time has passed. */
    private synchronized void stayForNow() {
        if (state == State.ASKED && !closed) { // else given up
            trigger.postpone(UpgradeGate.WAIT_NANOS);
            state = State.YOUNG;
        }
        notifyAll();
    }

    /** Whether {@link #close} was called, which comes before the close of the kernel's socket. */
    protected final synchronized boolean isClosed() {
        return closed;
    }

    /** Stays on TCP until the end: there is no stream, and there will be none. */
    final synchronized void fail() {
        if (state == State.ASKED) {
            state = State.STAYS;
            notifyAll();
        }
    }

    /**
     * Resets an accepted connection whose stream is lost. The end that proposed may have told its
     * limit already: then its bytes are lost, and the end of TCP would look like the end of all.
     */
    final synchronized void breakOff() {
        fail();
        if (!closed) {
            reset();
        }
    }

    private void reset() {
        assert Thread.holdsLock(this) && !closed; // later the number may be another socket's
        broken = true; // first: while a thread waits in the kernel, some systems refuse
        JdkBridge.reset(fileDescriptor());
    }

    /** Takes the stream that was found. */
    final void attach(OffloadStream stream) {
        Attempt failure = null;
        InetSocketAddress remote;
        synchronized (this) {
            if (closed || state != State.ASKED) {
                closeUnused(stream, aborted || !closed);
                return;
            }
            remote = remote(); // before a close, which may linger under a lock of the JDK's
            boolean complete = false;
            try {
                StreamHandle taken = take(stream);
                if (inputShut) { // after take(): a thread that shuts sets the flag first
                    taken.shutInput();
                }
                if (outputShut) {
                    taken.shutOutput();
                }
                taken.readerBehind(true);
                movedAfterMillis = trigger.ageMillis();
                limit = new PeerLimit(this);
                complete = true;
            } catch (IOException e) {
                failure =
                        Attempt.kernel(
                                ReasonCode.MEMORY,
                                "its stream cannot be used, as descriptors are short: "
                                        + e.getMessage());
            } catch (RuntimeException e) {
                OffloadSwitch.Log.OUT.warn("{} stays on TCP, as its stream failed", remote, e);
                failure = Attempt.kernel(ReasonCode.INTERNAL, "its stream failed: " + e);
            } finally {
                state = complete ? State.MOVING : State.STAYS;
                notifyAll();
                if (failure != null && decision != null) { // one that was accepted came by TCP
                    staysFor(failure);
                }
                if (!complete) {
                    closeHalf(stream);
                    if (decision == null) {
                        reset();
                    }
                }
            }
        }
        if (failure != null) {
            owner.connects.tell(remote, failure);
            return;
        }
        OffloadSwitch.Log.OUT.debug(
                "{} leaves TCP after {} bytes and {} ms",
                remote,
                trigger.carried(),
                trigger.ageMillis());
        if (decision != null) {
            moveOutNow();
        }
        limit.await();
    }

    /** Closes a stream that could not be taken; through its handle, if it has one. */
    private void closeHalf(OffloadStream stream) {
        StreamHandle half = taken();
        if (half == null) {
            stream.close(true);
        } else {
            half.close(0);
        }
    }

    /**
     * Closes a stream that came after the connection was closed or given up; the peer may have
     * begun to use it.
     */
    static void closeUnused(OffloadStream stream, boolean abortive) {
        stream.readerBehind(true);
        if (!abortive) {
            stream.shutdownOutput(); // even if the peer has written meanwhile
        }
        stream.close(abortive);
    }

    /** By the thread that has taken the other end's limit, or has seen that none comes. */
    final void onLimit(boolean known) {
        noteFinished();
        synchronized (this) {
            limitless = !known;
            notifyAll();
            if (known && decision == null) {
                countMove();
            }
        }
    }

    /**
     * Resets the kernel's connection, whose socket is about to be closed abortively: closing it may
     * not be enough, as there may be another descriptor. Does nothing while a thread reads or
     * writes: that thread is to see a close.
     */
    public final void resetTcp(FileDescriptor fd) {
        if (!shown || !readLock.tryLock()) {
            return;
        }
        try {
            if (writeLock.tryLock()) {
                try {
                    JdkBridge.reset(fd);
                } finally {
                    writeLock.unlock();
                }
            }
        } finally {
            readLock.unlock();
            leaveStream();
        }
    }

    /**
     * Notes that the application has closed the connection. Also ends the output by TCP, which the
     * close of the kernel's socket does not end if there is another descriptor. Idempotent.
     *
     * @param abortive whether the peer is to see a reset
     */
    public final void close(boolean abortive) {
        State last;
        synchronized (this) {
            aborted |= abortive && !closed;
            closed = true;
            last = state;
            notifyAll();
        }
        if (table != null) {
            table.remove(this);
        }
        if (last == State.MOVING) {
            boolean _ = limit.take(); // it is no input that the application has left unread
        }
        if (shown && !abortive && writeLock.tryLock()) { // a writer sees a close
            try {
                endKernelOutput();
            } catch (IOException e) {
                // it is not connected any more
            } finally {
                writeLock.unlock();
            }
        }
    }

    /**
     * Counts the move: the end that proposed it has told its limit, and cannot give the move up any
     * more. Without memory for it the counters miss the move.
     */
    private synchronized void countMove() {
        try {
            owner.counters()
                    .moved(
                            taken().info(),
                            kernelInfo.reason(),
                            decision == null,
                            trigger.carried(),
                            movedAfterMillis);
        } catch (OutOfMemoryError e) {
            // as in tellLimit()
        }
    }

    /**
     * Whether the close of the kernel's socket has to send a reset: there is unread input in the
     * stream, and the peer still reads TCP.
     */
    public final boolean resetsByKernel() throws IOException {
        StreamHandle stream = taken();
        return stream != null && !handover.outMoved() && stream.availableBytes() > 0;
    }

    /** Where the connection runs, and why. */
    public final ConnectionInfo info() {
        StreamHandle stream = taken();
        long afterMillis;
        synchronized (this) {
            boolean certain = decision == null ? handover.limitKnown() : handover.outMoved();
            if (stream == null || !certain) {
                return kernelInfo;
            }
            afterMillis = movedAfterMillis;
        }
        ConnectionInfo now = stream.info();
        return new ConnectionInfo(
                ReasonCode.OFFLOADED,
                now.detail()
                        + "; moved from TCP after "
                        + afterMillis
                        + " ms, "
                        + handover.sentBytes()
                        + " bytes sent and "
                        + handover.receivedBytes()
                        + " received",
                now.fabric(),
                now.bytesRead(),
                now.bytesWritten());
    }
}
