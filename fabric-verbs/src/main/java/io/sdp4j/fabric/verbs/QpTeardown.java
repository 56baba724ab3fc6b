package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.EventLoop;
import java.util.concurrent.TimeUnit;

/**
 * How one queue pair ends.
 *
 * <p>States: open; <em>draining</em>: disconnect was asked for, sends under way may still arrive,
 * because telling the device would flush them; <em>cut</em>: the device and the peer know; <em>
 * gone</em>: the peer knows too, or is not waited for. A queue pair that failed is cut at once, as
 * no event of the connection manager tells the peer of it.
 *
 * <p>The end has come when the device has flushed every posted receive: whatever came before has
 * then been seen. A flushed request alone says nothing; the reason comes from the connection
 * manager, or does not come in time.
 *
 * <p>Everything is guarded by the queue pair's monitor.
 */
final class QpTeardown {
    static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(30);
    static final long ABORT_DRAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(3);
    private static final long FLUSH_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final VerbsQueuePair qp;
    private final CmChannel channel;
    private final QpResources resources;
    private final WorkRequests requests;

    /** Why it failed, or null. */
    private WcStatus failure;

    private boolean peerDead;
    private boolean draining;

    /** The least that {@link #drain} was given. */
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
    boolean none() {
        assert Thread.holdsLock(qp);
        return failure == null && !draining && !cut;
    }

    WcStatus failure() {
        assert Thread.holdsLock(qp);
        return failure;
    }

    /** The peer does not answer any more. */
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

    /** Whether there is nothing left to be seen before the end. */
    boolean complete() {
        assert Thread.holdsLock(qp);
        return gone && (requests.receives() == 0 || flushed);
    }

    /** Lets sent messages arrive, for at most this time, and then cuts. */
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

    /** Everything that can come of requests has come: cuts if that was waited for. */
    void onReaped() {
        assert Thread.holdsLock(qp);
        if (draining && requests.sendQueueEmpty()) {
            cut();
        }
    }

    /** Tells the device and the peer. */
    void cut() {
        assert Thread.holdsLock(qp);
        draining = false;
        if (!cut) {
            cut = true;
            qp.forgetKeys();
            requests.onEnding();
            cancel(drainTimer);
            cancel(verdictTimer);
            requests.postReceives(); // to be flushed like the others
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

    /** A request ended badly. */
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

    /** Something was flushed, or could not be posted: if no reason follows, that is an error. */
    void onFlush() {
        assert Thread.holdsLock(qp);
        requests.onFlush();
        if (!cut && verdictTimer == null) {
            verdictTimer =
                    channel.loop.schedule(
                            () -> qp.failFromOutside(WcStatus.FATAL_ERR), FLUSH_NANOS);
        }
    }

    /** The peer knows, or is not waited for any longer. */
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
     * The device had its time to flush everything. soft-iWARP forgets requests that were posted
     * while the peer ended the connection; their memory is safe when the queue pair is no more.
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

    /** The queue pair was never connected. */
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
