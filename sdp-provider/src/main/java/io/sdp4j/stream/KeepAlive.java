package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.wire.ActionList;

/**
 * Probes the peer of a connection on which nothing moves (docs/protocol.md 11), if the application
 * wants that and the fabric does not see by itself that the peer is gone. Guarded by the stream's
 * lock.
 */
final class KeepAlive {
    /** Number of the work request that probes. */
    static final long PROBE = -1;

    private final StreamCore core;
    private final EventLoop loop;
    private final long idleNanos;
    private final ActionList out;
    private EventLoop.Timer timer;

    /**
     * @param idleNanos time without a message after which the peer is probed
     */
    KeepAlive(StreamCore core, EventLoop loop, long idleNanos, ActionList out) {
        this.core = core;
        this.loop = loop;
        this.idleNanos = idleNanos;
        this.out = out;
    }

    void set(boolean on) {
        assert Thread.holdsLock(core);
        if (on && timer == null) {
            core.machine.onKeepAlive(out); // the idle time counts from here
            core.carryOut();
            schedule();
        } else if (!on) {
            stop();
        }
    }

    private void schedule() {
        assert Thread.holdsLock(core);
        EventLoop.Timer before = timer;
        timer = loop.schedule((EventLoop.Repeatable) core.life::onKeepAlive, idleNanos);
        if (before != null) {
            before.cancel(); // it may be run again
        }
    }

    /** The time has passed. */
    void onTime() {
        assert Thread.holdsLock(core);
        if (timer != null) {
            core.progress();
            core.machine.onKeepAlive(out);
            core.carryOut();
            schedule();
        }
    }

    void stop() {
        assert Thread.holdsLock(core);
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
