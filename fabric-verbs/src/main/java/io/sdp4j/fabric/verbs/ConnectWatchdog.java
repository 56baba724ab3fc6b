package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.WakeSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

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

    /** One attempt, which makes its calls one after the other, all on one thread. */
    abstract static class Caller {
        private static final int OUTSIDE = 0;
        private static final int CALLING = 1;
        private static final int SIGNALLED = 2;

        private final AtomicInteger state = new AtomicInteger();
        private volatile long waitedNanos;

        /**
         * The kernel's number of it, or of the carrier of a virtual one; 0 before the first call.
         */
        private int thread;

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
        final void begin() {
            if (thread == 0 || Thread.currentThread().isVirtual()) {
                thread = WakeSignal.self();
            }
            state.set(CALLING);
        }

        /**
         * It is over; no signal comes any more. Not by a lock: a virtual thread that waits for one
         * leaves its carrier, and the signal would meet the call of another.
         */
        final void end() {
            while (!state.compareAndSet(CALLING, OUTSIDE)) {
                Thread.onSpinWait();
            }
        }

        private void look() {
            if (state.get() == CALLING) {
                long waited = waitedNanos + TICK_NANOS;
                waitedNanos = waited;
                if (unwanted(waited) && state.compareAndSet(CALLING, SIGNALLED)) {
                    WakeSignal.send(thread);
                    state.set(CALLING);
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

    /** Looks after {@code caller} from now on. */
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
