package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;

/**
 * One connection that began on kernel TCP and may move onto an offload stream; subclasses adapt it
 * to a kind of socket. The end that connected proposes the move, on a thread of ours, once the
 * connection is worth moving; the application does not wait for the proposal.
 *
 * <p>Shape: {@link UpgradeState} says how far the move has come, {@link MovingDirections} lets each
 * direction go over; here is the way to the stream, from the first byte to the close.
 */
public abstract class Upgrade extends MovingDirections {
    /**
     * Up to this delay a timer asks the peer again; after a longer one the application's next call
     * does.
     */
    private static final long SOON_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final UpgradeTrigger trigger;
    private final Decision decision; // null for an accepted one, which does not propose
    private final AcceptedTable table; // null for a connected one
    private volatile boolean unlisted; // set under this: to be put into table by list()
    private volatile boolean peerAsked; // about the move of one that was made here; for good

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
        super(owner, decision != null, kernelInfo, began);
        this.trigger = new UpgradeTrigger(owner.upgradePolicy(), owner.answered, handover, began);
        this.decision = decision;
        this.table = table;
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
        if (young()) {
            unlisted = table != null;
        }
    }

    /** Lets peers find an accepted connection from now on. Idempotent. */
    protected final void list() {
        if (!unlisted) {
            return;
        }
        synchronized (this) {
            if (isClosed()) {
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

    /**
     * Takes the stream that carries the rest of the connection. Called under the monitor of this.
     */
    protected abstract StreamHandle take(OffloadStream stream) throws IOException;

    /** Ends the output by TCP. Called by the closer under the write lock. */
    protected abstract void endKernelOutput() throws IOException;

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

    /** Proposes the move if it is due and this end has connected; another thread asks the peer. */
    public final void consider() {
        if (state == State.YOUNG && proposes && trigger.due(waits())) {
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
        return proposes
                && state == State.YOUNG
                && waits() == UpgradePolicy.Waits.SELECTOR
                && trigger.carriesLittle()
                && stayForGood(owner.notWorthMoving());
    }

    final synchronized void withDescriptor(IntConsumer use) {
        if (show()) {
            use.accept(descriptor());
        }
    }

    private int descriptor() {
        return JdkBridge.value(fileDescriptor());
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
            if (!ask()) {
                return;
            }
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
                refused(peerAsked);
                long nanos = trigger.askAgainNanos(attempt.reason());
                again = nanos > 0 && waitsForAnswer();
                // one that is over meanwhile was not refused
                if (waitsForAnswer()
                        && attempt.reason() != ReasonCode.ABANDONED
                        && (!again || attempt.reason() != ReasonCode.NOT_ACCEPTED)) {
                    news = staysFor(attempt);
                }
                if (again) {
                    trigger.postpone(nanos);
                    youngAgain();
                    if (nanos <= SOON_NANOS) {
                        // the application may be waiting for the peer and make no call by then
                        ConnectThreads.startMoveLater(this::consider, nanos);
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

    /** The next call of the application asks again, once the time has passed. */
    private synchronized void stayForNow() {
        if (waitsForAnswer()) {
            trigger.postpone(UpgradeGate.WAIT_NANOS);
            youngAgain();
        }
    }

    /** Takes the stream that was found. */
    final void attach(OffloadStream stream) {
        Attempt failure = null;
        InetSocketAddress remote;
        synchronized (this) {
            if (!waitsForAnswer()) {
                closeUnused(stream, isAborted() || !isClosed());
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
                limitMayCome(trigger.ageMillis());
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
                moving(complete);
                if (failure != null && proposes) { // one that was accepted came by TCP
                    boolean _ = staysFor(failure);
                }
                if (!complete) {
                    closeHalf(stream);
                    if (!proposes) {
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
                handover.carried(),
                trigger.ageMillis());
        if (proposes) {
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

    /**
     * Notes that the application has closed the connection. Also ends the output by TCP, which the
     * close of the kernel's socket does not end if there is another descriptor. Idempotent.
     *
     * @param abortive whether the peer is to see a reset
     */
    public final void close(boolean abortive) {
        boolean moving = noteClose(abortive);
        if (table != null) {
            table.remove(this);
        }
        if (moving) {
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
}
