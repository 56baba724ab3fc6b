package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.WakeSignal;
import java.util.ArrayList;
import java.util.List;

/**
 * Ends the system calls of connecting threads that wait for the peer longer than they should, so
 * that a thread which connects can make them itself: handing them to another thread, or sleeping in
 * poll(2) before each, costs several calls more.
 *
 * <p>Shape: the event thread looks at all of them every {@link #TICK_NANOS} as long as there are
 * some and for a second after, so one connection of many starts and stops nothing; and it sends a
 * {@link WakeSignal} at each look until the thread has come out, as one may come before the thread
 * is in the call. No clock is read for a call: it has waited for as many looks as have found it.
 * Thread-safe.
 */
final class ConnectWatchdog {
    static final long TICK_NANOS = ConnectRequest.ABANDON_CHECK_NANOS;

    /** Looks that find no call before looking ends. */
    private static final int IDLE_TICKS = 200;

    /** One attempt, which makes its calls one after the other, all on the thread that entered. */
    abstract static class Caller {
        private final int thread = WakeSignal.self();

        /** Guarded by this. */
        private boolean calling;

        private volatile long waitedNanos;

        /**
         * Whether the call under way should end. On the event thread, which it must not keep.
         *
         * @param waitedNanos that all of its calls have waited so far, in steps of {@link
         *     #TICK_NANOS}
         */
        abstract boolean unwanted(long waitedNanos);

        /** Time that this attempt has waited in calls, in steps of {@link #TICK_NANOS}. */
        final long waitedNanos() {
            return waitedNanos;
        }

        /** A call that may wait begins. */
        final synchronized void begin() {
            calling = true;
        }

        /** It is over; no signal comes any more. */
        final synchronized void end() {
            calling = false;
        }

        private synchronized void look() {
            if (calling) {
                waitedNanos += TICK_NANOS;
                if (unwanted(waitedNanos)) {
                    WakeSignal.send(thread);
                }
            }
        }
    }

    private final EventLoop loop;
    private final List<Caller> callers = new ArrayList<>();
    private boolean ticking;
    private int idleTicks;

    ConnectWatchdog(EventLoop loop) {
        this.loop = loop;
    }

    /**
     * Whether the calls of the calling thread can be ended: a virtual thread may come out of its
     * call on a carrier, where another one's begins.
     */
    static boolean possible() {
        return WakeSignal.usable() && !Thread.currentThread().isVirtual();
    }

    /** Looks after {@code caller} from now on, on whose thread this is called. */
    synchronized void enter(Caller caller) {
        callers.add(caller);
        if (!ticking) {
            ticking = true;
            loop.schedule(this::tick, TICK_NANOS);
        }
    }

    /** It makes no calls any more. */
    synchronized void leave(Caller caller) {
        callers.remove(caller);
    }

    private void tick() {
        List<Caller> now;
        synchronized (this) {
            idleTicks = callers.isEmpty() ? idleTicks + 1 : 0;
            if (idleTicks > IDLE_TICKS) {
                idleTicks = 0;
                ticking = false;
                return;
            }
            now = List.copyOf(callers);
        }
        now.forEach(Caller::look);
        loop.schedule(this::tick, TICK_NANOS);
    }
}
