package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.jdk.JdkBridge;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.SocketException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The two directions of one connection that began on kernel TCP: the writer lets the output go over
 * to the stream, and the reader learns whether the input has, see {@link Handover}.
 *
 * <p>An end of TCP is not taken for the end of the data before it is clear whether the peer has
 * gone on by the stream.
 */
abstract class MovingDirections extends UpgradeState {
    protected final OffloadSwitch owner;
    protected final ReentrantLock readLock;
    protected final ReentrantLock writeLock;
    protected final ToldReset reset = new ToldReset(); // also the stream's
    protected volatile boolean inputShut;
    protected volatile boolean outputShut;

    PeerLimit limit; // set under this, once: before it is MOVING

    private boolean broken; // this: bytes of the stream may be lost
    private ConnectionInfo kernelInfo; // this
    private long movedAfterMillis; // this

    MovingDirections(
            OffloadSwitch owner, boolean proposes, ConnectionInfo kernelInfo, Began began) {
        super(new Handover(began.sent(), began.received()), proposes);
        this.owner = owner;
        this.readLock = began.readLock();
        this.writeLock = began.writeLock();
        this.kernelInfo = kernelInfo;
    }

    /** The kernel's descriptor. Called while the connection is open. */
    protected abstract FileDescriptor fileDescriptor();

    /** The result of {@link Upgrade#take}, or null before it. */
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

    /**
     * Tells the stream that the reader stands at its first byte, if everything that comes by TCP
     * has come.
     */
    final void noteFinished() {
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

    /**
     * Called by the holder of the write lock when a write by TCP has failed and a part of it may
     * have gone. The output stays on TCP: no limit can be told after bytes that were not counted.
     */
    public final void sentUncounted() {
        handover.stay();
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
                && (proposes || handover.limitKnown())) {
            StreamHandle stream = taken();
            if (stream != null && tellLimit(stream)) {
                handover.moveOut();
                if (proposes) {
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
                if (proposes) { // with its output on TCP it has little to gain
                    boolean _ = stayForGood(OffloadSwitch.ENDS_BY_TCP);
                }
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
                if (giveUp()) {
                    boolean _ = proposes && staysFor(OffloadSwitch.ENDS_BY_TCP);
                } else if (whole && !proposes && !awaitPeer()) {
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
        failQueued(); // the end does not wait for the queue
        if (!hearsPeer()) {
            boolean _ = limit.take(); // the thread that would may be late
            synchronized (this) {
                heardPeer(handover.limitKnown());
            }
        }
        boolean lost;
        synchronized (this) {
            lost = broken && !isClosed();
            if (!lost && (isClosed() || !handover.limitKnown())) {
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
     * Resets an accepted connection whose stream is lost. The end that proposed may have told its
     * limit already: then its bytes are lost, and the end of TCP would look like the end of all.
     */
    final synchronized void breakOff() {
        fail();
        if (!isClosed()) {
            reset();
        }
    }

    final void reset() {
        assert Thread.holdsLock(this) && !isClosed(); // later the number may be another socket's
        broken = true; // first: while a thread waits in the kernel, some systems refuse
        JdkBridge.reset(fileDescriptor());
    }

    /** There is a stream, which may bring the peer's limit. */
    final void limitMayCome(long afterMillis) {
        assert Thread.holdsLock(this);
        movedAfterMillis = afterMillis;
        limit = new PeerLimit(this);
    }

    /** By the thread that has taken the other end's limit, or has seen that none comes. */
    final void onLimit(boolean known) {
        noteFinished();
        synchronized (this) {
            heardPeer(known);
            if (known && !proposes) {
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

    /** Notes why one that was made here is on TCP; returns whether that is another reason. */
    final boolean staysFor(Attempt why) {
        assert Thread.holdsLock(this);
        ReasonCode before = kernelInfo.reason();
        owner.counters().stays(before, why.reason());
        kernelInfo = why.kernelInfo();
        return before != why.reason();
    }

    /** Goes from YOUNG to STAYS; false if it is in another state. */
    final synchronized boolean stayForGood(Attempt why) {
        if (!stay()) {
            return false;
        }
        boolean _ = staysFor(why);
        return true;
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
                            !proposes,
                            handover.carried(),
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
            boolean certain = proposes ? handover.outMoved() : handover.limitKnown();
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
