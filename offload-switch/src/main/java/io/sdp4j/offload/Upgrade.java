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
 * One connection that began on kernel TCP and may move onto an offload stream, whatever kind of
 * socket it is. The end that has connected proposes it, once the connection has shown that it pays,
 * on a thread of its own; the application waits for nothing.
 *
 * <p>States: NEW, before {@link #start}; YOUNG; ASKED, a provider is asked, or a peer has asked;
 * then MOVING, there is a stream, and each direction goes over to it as {@link Handover} says; or
 * STAYS, on TCP for good. {@code this} guards the state; no thread waits while holding it but in
 * {@link #goesOn}, and for a second in {@link #urgentByStream}.
 *
 * <p>Its end on TCP is not believed to be the end of the data before it is clear whether the other
 * end has gone on by the stream.
 */
public abstract class Upgrade {
    /** How long a thread waits for a peer that is about to move; usually microseconds. */
    private static final long PEER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A timer asks a peer again that is to be asked so soon; else the next call does. */
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

    /** At which byte each direction goes over. */
    public final Handover handover;

    protected final ToldReset reset = new ToldReset(); // also the stream's
    protected volatile boolean inputShut;
    protected volatile boolean outputShut;
    protected volatile boolean virtual; // used by a virtual thread

    private final UpgradeTrigger trigger;
    private final Decision decision; // null for an accepted one, which does not propose
    private final AcceptedTable table; // null for a connected one

    private volatile State state = State.NEW; // set under this
    private volatile boolean unlisted; // set under this: no peer finds it yet, but one may

    /** There may be another descriptor of the kernel's socket, a peer's or a provider's. */
    private volatile boolean shown; // set under this

    private boolean closed; // this
    private boolean aborted; // this
    private boolean limitless; // this: no limit has come by the stream, and none is waited for
    private ConnectionInfo kernelInfo; // this
    private long movedAfterMillis; // this
    private PeerLimit limit; // set under this, once: before it is MOVING

    /**
     * @param decision what the rules say of a connection that was made here; null for an accepted
     *     one
     * @param table where a peer finds an accepted one; null for one that was made here
     * @param began how it has gone until now
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

    /** It is connected: from now on a peer may find it, or it may propose to move. */
    public final void start() {
        startLater();
        list();
        consider();
    }

    /** The same where its reader and its writer do not know of it yet: from their next byte on. */
    public final synchronized void startLater() {
        if (state == State.NEW) { // else it stays, as urgent data has gone already
            state = State.YOUNG;
            unlisted = table != null;
        }
    }

    /** From now on a peer finds it. Idempotent. */
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

    /** Of the kernel's socket, once it is started; also after it was closed. */
    protected abstract InetSocketAddress local();

    /** Likewise the other end. */
    protected abstract InetSocketAddress remote();

    /** How the application waits in it. */
    protected abstract UpgradePolicy.Waits waits();

    /** The number of the kernel's descriptor; called while the connection is open. */
    protected abstract int descriptor();

    /** Takes the stream that carries the rest of the connection. Under the lock of this. */
    protected abstract StreamHandle take(OffloadStream stream) throws IOException;

    /** Result of {@link #take}, or null. */
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

    /** By the one that closes, under the write lock. */
    protected abstract void endKernelOutput() throws IOException;

    // --- for the reader and the writer ---

    /** By the holder of the read lock: {@code n} bytes came by TCP. */
    public final void received(long n) {
        handover.received(n);
        noteFinished();
        trigger.received();
        consider();
    }

    /** All may have come that comes by TCP: then the reader stands before the stream. */
    private void noteFinished() {
        if (handover.finished()) {
            taken().readerBehind(false);
        }
    }

    /** A call that began before this was there has given its lock back, and may have read. */
    public final void earlyCallLeft() {
        noteFinished();
        wrote();
    }

    /** By the holder of the write lock: {@code n} bytes have gone by TCP. */
    public final void sent(long n) {
        handover.sent(n);
        trigger.sent();
        consider();
    }

    /**
     * By the holder of the write lock: a write by TCP has failed, and a part of it may have gone.
     * No limit can be told behind bytes that are not counted.
     */
    protected final void sentUncounted() {
        handover.stay();
    }

    private void consider() {
        if (state == State.YOUNG && decision != null && trigger.due(waits()) && begin()) {
            if (!ConnectThreads.start(this::proposeOrStay)) {
                stayForNow(); // the bytes of the caller count
            }
        }
    }

    /**
     * Whether it stays on TCP for good, and needs no count: it is not worth moving, and no peer can
     * ask for a connection that was made here. Once for each call of the application.
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
     * By the holder of the write lock, before it writes: moves the output if there is a stream.
     *
     * @return whether the output has moved
     */
    public final boolean moveOut() {
        if (handover.outMoved()) {
            return true;
        }
        if (state == State.MOVING
                && handover.mayMove()
                // until its limit has come the end that has proposed may give the stream up
                && (decision != null || handover.limitKnown())) {
            StreamHandle stream = taken();
            if (stream != null && stream.begin(handover.limitToTell())) {
                handover.moveOut();
                if (decision != null) {
                    countMove();
                }
                return true;
            }
        }
        return false;
    }

    /**
     * Moves the output if no thread writes; a writer moves it with its next write. Without a lock.
     */
    final void moveOutNow() {
        if (writeLock.tryLock()) {
            try {
                moveOut();
            } finally {
                writeLock.unlock();
            }
            gaveLockBack();
        }
    }

    /**
     * The write lock was given back: moves the output if a stream came while it was held, as the
     * other end waits to be told. Without a lock.
     */
    protected final void wrote() {
        if (state == State.MOVING && !handover.outMoved()) {
            moveOutNow();
        } else {
            gaveLockBack();
        }
    }

    /** The output ends: it does not move any more, unless a thread that writes is about to. */
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
     * By the holder of the write lock, which has an urgent byte to send: whether it goes by the
     * stream. By TCP the reader may count that byte or not, so the output can not move afterwards:
     * an end that has proposed to move gives that up. An accepted one cannot; it waits for the
     * other end's limit, if what is half moved is of no use to it.
     *
     * @param whole whether input that has moved is of no use without the output
     * @throws SocketException if the other end has not told its limit in time
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
                // With its own limit the peer has taken ours from before the byte. Then its reader
                // may stand at the mark.
                boolean _ = awaitPeer();
            }
        }
        return true;
    }

    /**
     * Whether it has become clear in time that the other end goes on by the stream, or does not.
     * Under the lock of this, which it gives up while it waits.
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

    /** Whether it can still be decided here that it stays. */
    private boolean beforeStream() {
        return state == State.NEW
                || state == State.YOUNG
                || (state == State.ASKED && decision != null);
    }

    /** Whether the other end may go on by the stream or by TCP. */
    private boolean undecided() {
        return !closed
                && (state == State.ASKED
                        || (state == State.MOVING && !limitless && !handover.limitKnown()));
    }

    /**
     * By the holder of the read lock, which TCP has told an end: whether the stream goes on where
     * TCP ended. Waits until that is clear: a provider that was asked answers within its time, and
     * a peer that is gone has ended the stream. One that says nothing, as it is stopped or means
     * harm, is not waited for: it would have told its limit before it ended TCP.
     *
     * @throws IOException if TCP has ended before all had come that should have come by it
     */
    public final boolean goesOn() throws IOException {
        if (!hearsPeer()) {
            boolean _ = limit.take(); // the thread that would may be late
            synchronized (this) {
                limitless = !handover.limitKnown();
            }
        }
        synchronized (this) {
            if (closed || !handover.limitKnown()) {
                return false;
            }
        }
        if (!handover.finished()) {
            throw new SocketException("Connection reset");
        }
        return true;
    }

    /**
     * By the holder of the read lock, where TCP has ended in order and {@link #goesOn} is false:
     * whether the peer's process has ended with input unread all the same. Only this output had
     * moved.
     */
    protected final boolean leftUnread() {
        StreamHandle stream = taken();
        return stream != null && handover.outMoved() && stream.leftUnread();
    }

    /** Whether it has become clear how the other end goes on; false if its stream says nothing. */
    private synchronized boolean hearsPeer() {
        boolean clear;
        do {
            clear = awaitPeer();
        } while (!clear && state == State.ASKED);
        return clear;
    }

    // --- the way to a stream ---

    /** Whether a caller may try to find a stream; it has to report the result. */
    final synchronized boolean begin() {
        if (closed || state != State.YOUNG) {
            return false;
        }
        state = State.ASKED;
        shown = true;
        return true;
    }

    final synchronized void withDescriptor(IntConsumer use) {
        if (!closed && state == State.YOUNG) {
            shown = true;
            use.accept(descriptor());
        }
    }

    /** However it ends, no reader waits for an answer afterwards. */
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
        int number;
        synchronized (this) {
            if (closed) {
                return;
            }
            number = descriptor();
        }
        Attempt attempt =
                owner.connects.upgrade(decision, local(), remote(), number, this::isClosed);
        if (attempt.stream() != null) {
            attach(attempt.stream());
        } else {
            boolean again;
            boolean news = false;
            synchronized (this) {
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
                        // the application may wait for the peer, and make no call by then
                        CompletableFuture.delayedExecutor(
                                        nanos, TimeUnit.NANOSECONDS, ConnectThreads::start)
                                .execute(this::consider);
                    }
                }
            }
            if (!again) {
                OffloadSwitch.Log.OUT.debug("{} stays on TCP: {}", remote(), attempt.detail());
                fail();
            } else if (news) {
                OffloadSwitch.Log.OUT.debug(
                        "{} stays on TCP until it asks again: {}", remote(), attempt.detail());
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

    /** Set under the lock of this, before the kernel's socket is closed. */
    protected final synchronized boolean isClosed() {
        return closed;
    }

    /** There is no stream, and there will be none. */
    final synchronized void fail() {
        if (state == State.ASKED) {
            state = State.STAYS;
            notifyAll();
        }
    }

    /** Takes the stream that was found. */
    final void attach(OffloadStream stream) {
        Attempt failure = null;
        synchronized (this) {
            if (closed || state != State.ASKED) {
                closeUnused(stream, aborted || !closed);
                return;
            }
            boolean complete = false;
            try {
                StreamHandle taken = take(stream);
                if (inputShut) { // after the stream was set: a thread that shuts does the reverse
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
                stream.close(true);
                failure =
                        Attempt.kernel(
                                ReasonCode.MEMORY,
                                "its stream cannot be used, as descriptors are short: "
                                        + e.getMessage());
                if (decision != null) { // one that was accepted came by TCP, whatever follows
                    staysFor(failure);
                }
            } finally {
                state = complete ? State.MOVING : State.STAYS;
                notifyAll();
            }
        }
        if (failure != null) {
            owner.connects.tell(remote(), failure);
            return;
        }
        OffloadSwitch.Log.OUT.debug(
                "{} leaves TCP after {} bytes and {} ms",
                remote(),
                trigger.carried(),
                trigger.ageMillis());
        if (decision != null) {
            moveOutNow();
        }
        limit.await();
    }

    /** The end has come before the stream, which the peer may have begun to use. */
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
     * The kernel's socket is about to be closed, and its peer is to see a reset: there may be
     * another descriptor of it. Not while a thread reads or writes, which is to see a close.
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
     * The application has closed it: also ends an output by TCP that the close of the kernel's
     * socket may not end. Idempotent.
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

    /** The end that has proposed to move has told its limit, and cannot give it up any more. */
    private synchronized void countMove() {
        owner.counters()
                .moved(
                        taken().info(),
                        kernelInfo.reason(),
                        decision == null,
                        trigger.carried(),
                        movedAfterMillis);
    }

    /** Whether the peer still reads TCP while there is input here that is not read. */
    public final boolean resetsByKernel() throws IOException {
        StreamHandle stream = taken();
        return stream != null && !handover.outMoved() && stream.availableBytes() > 0;
    }

    /** Where it runs, and why. */
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
