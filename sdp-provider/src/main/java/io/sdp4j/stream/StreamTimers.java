package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import io.sdp4j.wire.SdpMachine;
import java.util.function.IntConsumer;

/**
 * The timers that a machine has asked for, at most one of each kind. Guarded by the stream's lock;
 * the timers' tasks do not hold it.
 */
final class StreamTimers {
    private final StreamCore core;
    private final StreamSettings settings;
    private final EventLoop loop;
    private final IntConsumer onTimer;

    /** By kind; null until the first one. */
    private EventLoop.Timer[] running;

    /**
     * @param onTimer told of each that has run out, on the event thread
     */
    StreamTimers(StreamCore core, StreamSettings settings, EventLoop loop, IntConsumer onTimer) {
        this.core = core;
        this.settings = settings;
        this.loop = loop;
        this.onTimer = onTimer;
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
                        (EventLoop.Repeatable) () -> onTimer.accept(timer),
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
