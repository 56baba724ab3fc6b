package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * The end of one queue pair: its states, timers and reason.
 *
 * <p>States: open; <em>draining</em>: disconnect was asked for, and the device is not told yet,
 * because that would flush the sends under way; <em>cut</em>: the device was told, and the peer is
 * being told; <em>gone</em>: the peer knows, or is not waited for any longer. A queue pair that
 * failed is cut at once, because no event of the connection manager tells the peer of the failure.
 *
 * <p>The end is complete when the device has flushed every posted receive: everything that came
 * before has then been seen. A flushed request does not tell the reason; the reason comes from the
 * connection manager, or is an error if it does not come in time.
 *
 * <p>Guarded by the queue pair's monitor.
 */
final class QpTeardown {
    static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long ABORT_DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Time for the peer to answer that it knows of the end. Afterwards the id is destroyed, and the
     * kernel tells the peer no more. It repeats what it told after four seconds on the accepted
     * side, after eight on the other.
     */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final VerbsQueuePair qp;
    private final CmChannel channel;
    private final QpResources resources;
    private final WorkRequests requests;

    /** Why the queue pair failed, or null. */
    private WcStatus failure;

    private boolean peerDead;
    private boolean draining;

    /** The shortest time that {@link #drain} was given. */
    private long drainNanos = Long.MAX_VALUE;

    private boolean cut;
    private boolean gone;
    private boolean flushed;
    private EventLoop.Timer drainTimer;
    private EventLoop.Timer timer;
    private EventLoop.Timer verdictTimer;

    QpTeardown(VerbsQueuePair qp, CmChannel channel, QpResources resources, WorkRequests requests) {
        this.qp = qp;
        this.channel = channel;
        this.resources = resources;
        this.requests = requests;
    }

    /** Whether requests still go to the device. */
    boolean notBegun() {
        assert Thread.holdsLock(qp);
        return failure == null && !draining && !cut;
    }

    WcStatus failure() {
        assert Thread.holdsLock(qp);
        return failure;
    }

    /** Whether the peer has stopped answering. */
    boolean peerDead() {
        assert Thread.holdsLock(qp);
        return peerDead;
    }

    boolean draining() {
        assert Thread.holdsLock(qp);
        return draining;
    }

    boolean isCut() {
        assert Thread.holdsLock(qp);
        return cut;
    }

    boolean gone() {
        assert Thread.holdsLock(qp);
        return gone;
    }

    /** Whether nothing is left to be reported before the end. */
    boolean complete() {
        assert Thread.holdsLock(qp);
        return gone && (requests.receives() == 0 || flushed);
    }

    /** Lets sent messages arrive, for at most {@code nanos}, and then cuts. */
    void drain(long nanos) {
        assert Thread.holdsLock(qp);
        if (cut) {
            return;
        }
        if (!draining) {
            draining = true;
            qp.forgetKeys();
            requests.onEnding();
            qp.reap();
            if (!draining) {
                return;
            }
            qp.completions().watchSends();
            qp.reap();
        }
        if (draining && nanos < drainNanos) {
            drainNanos = nanos;
            cancel(drainTimer);
            drainTimer = channel.loop.schedule(this::cutNow, nanos);
        }
    }

    private void cutNow() {
        synchronized (qp) {
            cut();
        }
    }

    /**
     * Cuts a draining queue pair if all sends have completed. Called after completions were taken.
     */
    void onReaped() {
        assert Thread.holdsLock(qp);
        if (draining && requests.sendQueueEmpty()) {
            cut();
        }
    }

    /** Cuts: tells the device and the peer. */
    void cut() {
        assert Thread.holdsLock(qp);
        draining = false;
        if (!cut) {
            cut = true;
            qp.forgetKeys();
            requests.onEnding();
            cancel(drainTimer);
            cancel(verdictTimer);
            requests.postReceives(); // so that these are flushed like the others
            channel.cm.disconnect(resources.id);
            if (!gone) {
                timer = channel.loop.schedule(qp::onGone, SILENCE_NANOS);
            }
        }
    }

    void fail(WcStatus why) {
        assert Thread.holdsLock(qp);
        if (failure == null && !qp.completions().isOver()) {
            failure = why;
        }
        cut();
        qp.reap(); // data that has arrived is seen before the failure
        qp.completions().onChange();
    }

    /** Handles a request that failed. */
    void onBadStatus(WcStatus status) {
        assert Thread.holdsLock(qp);
        switch (status) {
            case WR_FLUSH_ERR -> onFlush();
            case RESP_TIMEOUT_ERR -> {
                peerDead |= !cut;
                cut();
            }
            default -> {
                if (!cut) {
                    fail(status);
                }
            }
        }
    }

    /**
     * Handles a flushed request, or one that could not be posted: if no reason follows, this is an
     * error.
     */
    void onFlush() {
        assert Thread.holdsLock(qp);
        requests.onEnding();
        if (!cut && verdictTimer == null) {
            verdictTimer =
                    channel.loop.schedule(
                            () -> qp.failFromOutside(WcStatus.FATAL_ERR), FLUSH_NANOS);
        }
    }

    /** Called when the peer knows of the end, or is not waited for any longer. */
    void onGone() {
        assert Thread.holdsLock(qp);
        if (!gone) {
            gone = true;
            cancel(timer);
            cut();
            qp.reap();
            if (requests.receives() + requests.rdma() > 0) {
                timer = channel.loop.schedule(this::onFlushed, FLUSH_NANOS);
            }
        }
    }

    /**
     * Called when the device had enough time to flush everything. soft-iWARP forgets requests that
     * were posted while the peer ended the connection; their memory is safe once the queue pair is
     * destroyed.
     */
    private void onFlushed() {
        synchronized (qp) {
            if (!qp.isOpen()) {
                return;
            }
            flushed = true;
            qp.reap();
            if (requests.rdma() > 0) {
                resources.destroyQueuePair();
                requests.onDeaf();
            }
        }
        qp.completions().onChange();
    }

    /** Ends a queue pair that was never connected. */
    void skip() {
        assert Thread.holdsLock(qp);
        gone = true;
        cut();
    }

    void cancelTimers() {
        assert Thread.holdsLock(qp);
        cancel(timer);
        cancel(drainTimer);
        cancel(verdictTimer);
    }

    private static void cancel(EventLoop.Timer t) {
        if (t != null) {
            t.cancel();
        }
    }
}
