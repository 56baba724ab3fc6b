package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.wire.SdpMachine;

/**
 * The timers that a machine has asked for, at most one of each kind. Guarded by the stream's lock;
 * the timers' tasks do not hold it.
 */
final class StreamTimers {
    private final StreamCore core;
    private final StreamSettings settings;
    private final EventLoop loop;

    /** By kind; null until the first one. */
    private EventLoop.Timer[] running;

    StreamTimers(StreamCore core, StreamSettings settings, EventLoop loop) {
        this.core = core;
        this.settings = settings;
        this.loop = loop;
    }

    /** Starts one; a running one of the kind is replaced. */
    void arm(int timer, long nanos) {
        assert Thread.holdsLock(core);
        if (running == null) {
            running = new EventLoop.Timer[SdpMachine.TIMERS];
        }
        cancel(timer);
        running[timer] =
                loop.schedule(
                        (EventLoop.Repeatable) () -> core.life.onTimer(timer),
                        settings.timerNanos(timer, nanos));
    }

    void cancel(int timer) {
        assert Thread.holdsLock(core);
        if (running != null && running[timer] != null) {
            running[timer].cancel();
            running[timer] = null;
        }
    }

    void cancelAll() {
        assert Thread.holdsLock(core);
        for (int t = 0; t < SdpMachine.TIMERS; t++) {
            cancel(t);
        }
    }
}
