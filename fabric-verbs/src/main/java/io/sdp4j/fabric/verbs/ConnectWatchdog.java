package io.sdp4j.fabric.verbs;

import io.sdp4j.fabric.ConnectRequest;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.WakeSignal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ends system calls of connecting threads that wait too long for the peer. This lets a connecting
 * thread make the calls itself; handing them to another thread, or sleeping in poll(2) before each,
 * would cost several calls more.
 *
 * <p>Shape: while there are callers, and for a second afterwards, the event thread looks at all of
 * them every {@link #TICK_NANOS}; so a series of connections does not start and stop the timer each
 * time. At each look it sends a {@link WakeSignal} to a thread whose call should end, until the
 * thread has left the call, because a signal may come before the thread is in the call. No clock is
 * read for a call: its waiting time is the number of looks that found it waiting. Thread-safe.
 */
final class ConnectWatchdog {
    static final long TICK_NANOS = ConnectRequest.ABANDON_CHECK_NANOS;

    /** Looks without a caller after which the looking ends. */
    private static final int IDLE_TICKS = 200;

    /** One attempt to connect, which makes its calls one after the other, all on one thread. */
    abstract static class Caller {
        private static final int OUTSIDE = 0;
        private static final int CALLING = 1;
        private static final int SIGNALLED = 2;

        private final AtomicInteger state = new AtomicInteger();
        private volatile long waitedNanos;

        /**
         * The kernel's number of the thread, or of the carrier of a virtual thread; 0 before the
         * first call.
         */
        private int thread;

        /**
         * Whether the call under way should end. Called on the event thread; must be quick.
         *
         * @param waitedNanos time that all calls of this attempt have waited so far, in steps of
         *     {@link #TICK_NANOS}
         */
        abstract boolean unwanted(long waitedNanos);

        /** Time that this attempt has waited in calls, in steps of {@link #TICK_NANOS}. */
        final long waitedNanos() {
            return waitedNanos;
        }

        /** Begins a call that may wait. */
        final void begin() {
            if (thread == 0 || Thread.currentThread().isVirtual()) {
                thread = WakeSignal.self();
            }
            state.set(CALLING);
        }

        /**
         * Ends a call; no signal comes any more. Takes no lock, because a virtual thread that waits
         * for a lock leaves its carrier, and the signal would hit the call of another thread.
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

    /** Begins to watch {@code caller}. */
    synchronized void enter(Caller caller) {
        callers.add(caller);
        if (!ticking) {
            loop.schedule((EventLoop.Repeatable) this::tick, TICK_NANOS);
            ticking = true; // only now: there may be no memory for the timer
        }
    }

    /** Ends the watch of {@code caller}, which makes no more calls. */
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
        loop.schedule((EventLoop.Repeatable) this::tick, TICK_NANOS);
    }
}
