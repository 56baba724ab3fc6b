package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.AdaptiveSpin;
import io.sdp4j.linux.AdaptiveYield;
import io.sdp4j.linux.Affinity;
import io.sdp4j.linux.CpuPressure;
import io.sdp4j.linux.Futex;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.MappedMemory;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How a thread of one side of a connection waits, and wakes the other side.
 *
 * <p>Shape: each side has two words in its control line. The sleep word is 1 while a thread sleeps
 * on it in the kernel; the wake word is {@link WakeSocket}'s. Their owner sets them, fences, looks
 * again, and only then waits; a thread that publishes something fences, then looks at them, clears
 * what it finds and wakes. No wake-up is lost and none is paid for in vain. Where the two sides
 * cannot share futexes, a thread parks and the wake-up byte, taken by the event thread, unparks it.
 *
 * <p>Words are hints: a peer that forges them only delays itself, because what ends the connection
 * or a sleep from this side is told by the private fields here, and rouses a sleeper whatever the
 * words say; and one that ends sleeps for nothing again and again is cut. So a sleep on the futex
 * needs no end of its own; a parked thread, whose byte the event thread takes, looks again after
 * 100 ms when its wait is young and after a minute when it is old: the end of the peer is told by
 * the descriptor, too.
 *
 * <p>{@link #await} and {@link #busyPoll} are used by one thread at a time, {@link #notifyPeer}
 * under the queue pair's lock, the rest by any thread.
 */
final class Waiter {
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long OLD_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final int YOUNG_SLEEPS = 10;

    /** Sleeps of one wait that may end for nothing, each before a tenth of its time. */
    private static final int MOST_FUTILE = 1000;

    private static final int CPU_EVERY = 16;

    /** After one the peer has run, unless others came first. */
    private static final int MOST_YIELDS = 2;

    /** A wait this long was a turn of a thread that has nothing to do with this connection. */
    private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** Waits beside the peer before it seems to stay. */
    private static final int SETTLED = 32;

    /** One in this many waits beside the peer sleeps, because a woken thread may go elsewhere. */
    private static final int SLEEP_EVERY = 1024;

    private final ShmQueuePair qp;
    private final MappedMemory mem;
    private final long base; // its address
    private final WakeSocket wakeSocket;
    private final long own;
    private final long peer;
    private final boolean nativeCalls;
    private final boolean futex;
    private final AdaptiveSpin spinner;

    /** Judges waits of a side that has said nothing since it last heard something. */
    private final AdaptiveSpin listener;

    private final AdaptiveYield yielder;

    /** There is no other processor to be woken on. */
    private final boolean alone;

    private final BooleanSupplier something = this::hasSomething;
    private volatile boolean wakeRequested;

    /** A thread sleeps, or is about to, on the sleep word. */
    private volatile boolean sleeping;

    /** The thread that is parked, or is about to. */
    private volatile Thread parked;

    /** How often something was published since the last sleep; what is lost of it does no harm. */
    private int said;

    private int waits;
    private int cpu = -1;
    private long futileSince;

    /** Waits since the peer was last seen on another processor. */
    private int beside;

    /** Null where co-location is off. */
    private final CoLocation together;

    /**
     * @param futex whether both sides can sleep and wake by futex
     */
    Waiter(ShmQueuePair qp, MappedMemory mem, ShmQueuePair.Parts parts, boolean futex) {
        this.qp = qp;
        this.mem = mem;
        base = mem.segment().address();
        wakeSocket = new WakeSocket(qp, mem, parts.side(), futex);
        own = ShmLayout.control(parts.side());
        peer = ShmLayout.control(1 - parts.side());
        nativeCalls = parts.nativeCalls();
        this.futex = futex;
        spinner = parts.spinner();
        listener = spinner.another();
        together =
                futex && nativeCalls && parts.sleepTogether() && Affinity.available()
                        ? new CoLocation(mem, parts.side())
                        : null;
        yielder = new AdaptiveYield(MOST_YIELDS, TURN_NANOS);
        alone = Runtime.getRuntime().availableProcessors() == 1;
    }

    WakeSocket wakeSocket() {
        return wakeSocket;
    }

    /** After something was published that matters: wakes the peer if it asked for that. */
    void notifyPeer() {
        notifyPeer(false);
    }

    /** After something was published: wakes the peer if it asked for that. */
    void notifyPeer(boolean quiet) {
        said++;
        VarHandle.fullFence();
        long words = mem.getLongOpaque(peer + ShmLayout.SLEEP_WORD);
        if (words != 0) {
            wakePeer(words, quiet);
        }
    }

    private void wakePeer(long words, boolean quiet) {
        if ((int) words != 0) {
            mem.putIntOpaque(peer + ShmLayout.SLEEP_WORD, 0);
            if (futex) {
                Futex.wake(base + peer + ShmLayout.SLEEP_WORD);
            }
        }
        int wanted = (int) (words >>> 32);
        if (wanted != 0 && !(quiet && wanted == WakeSocket.LOUD)) {
            mem.putIntOpaque(peer + ShmLayout.WAKE_WORD, 0);
            qp.ring();
        }
    }

    void await(long nanos) {
        if (hasSomething()) {
            wakeRequested = false;
            return;
        }
        if (nanos <= 0) {
            return;
        }
        if ((waits++ & CPU_EVERY - 1) == 0) {
            publishCpu();
        }
        if (peerElsewhere() ? spinner.spin(something, nanos, Waiter::never) : giveWay()) {
            clearWake();
            return;
        }
        if (futex) {
            sleep(nanos);
        } else {
            park(nanos);
        }
        clearWake();
    }

    /**
     * Lets the peer have the processor that both are on. Not where another one may be idle: two are
     * better than one, and a thread that sleeps is woken there.
     */
    private boolean giveWay() {
        if (together == null) {
            return false; // also where no native call may be made
        }
        int n = ++beside;
        return n > SETTLED
                && n % SLEEP_EVERY != 0
                && (alone || CpuPressure.crowded(System.nanoTime()))
                && yielder.giveWay(something);
    }

    private static boolean never() {
        return false;
    }

    boolean hasSomething() {
        return qp.ready() || wakeRequested;
    }

    private void clearWake() {
        if (wakeRequested) {
            wakeRequested = false;
        }
    }

    private void sleep(long nanos) {
        publishCpu();
        int joined = together == null ? -1 : joinPeer();
        if (joined < 0) {
            sleepHere(nanos);
            return;
        }
        cpu = joined;
        mem.putIntOpaque(own + ShmLayout.CPU_WORD, joined + 1);
        try {
            sleepHere(nanos);
        } finally {
            together.part();
        }
    }

    /** See {@link CoLocation#join}. */
    private int joinPeer() {
        long now = System.nanoTime();
        int spoke = said;
        said = 0;
        return together.join(now, spinner.allowed(now) ? 0 : spoke, CpuPressure.crowded(now));
    }

    private void sleepHere(long nanos) {
        long deadline = deadline(nanos);
        long word = own + ShmLayout.SLEEP_WORD;
        sleeping = true;
        for (int n = 0; ; n++) {
            mem.putIntOpaque(word, 1);
            VarHandle.fullFence();
            long left = left(deadline);
            if (hasSomething() || left <= 0) {
                break;
            }
            Futex.await(base + word, 1, left);
            if (hasSomething()) {
                break;
            }
            n = count(n);
        }
        mem.putIntOpaque(word, 0);
        sleeping = false;
        publishCpu();
    }

    private void park(long nanos) {
        long deadline = deadline(nanos);
        boolean interrupted = false;
        publishCpu();
        parked = Thread.currentThread();
        for (int n = 0; ; n++) {
            wakeSocket.ask(WakeSocket.ANY);
            long left = left(deadline);
            if (hasSomething() || left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, Math.min(left, n < YOUNG_SLEEPS ? YOUNG_NANOS : OLD_NANOS));
            // a set flag would make every further park return at once
            interrupted |= Thread.interrupted();
            n = count(n);
        }
        parked = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * After a sleep in which nothing came: a peer that ends one after the other for nothing is cut.
     *
     * @param n how many there were before
     * @return how many shall count
     */
    private int count(int n) {
        if (n == YOUNG_SLEEPS) {
            futileSince = System.nanoTime();
        }
        if (n < YOUNG_SLEEPS + MOST_FUTILE) {
            return n;
        }
        if (System.nanoTime() - futileSince < MOST_FUTILE * YOUNG_NANOS) {
            qp.killSoon(WcStatus.REM_INV_REQ_ERR);
        }
        return YOUNG_SLEEPS - 1;
    }

    private static long deadline(long nanos) {
        return nanos > Long.MAX_VALUE / 4 ? Long.MAX_VALUE : System.nanoTime() + nanos;
    }

    private static long left(long deadline) {
        return deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
    }

    private void publishCpu() {
        if (nativeCalls) {
            int now = Linux.cpu();
            if (now != cpu) {
                cpu = now;
                mem.putIntOpaque(own + ShmLayout.CPU_WORD, now + 1);
            }
        }
    }

    /** Spinning on the processor that the peer needs would only keep it from answering. */
    private boolean peerElsewhere() {
        boolean elsewhere = mem.getIntOpaque(peer + ShmLayout.CPU_WORD) != cpu + 1;
        if (elsewhere) {
            beside = 0;
        }
        return elsewhere;
    }

    void wake() {
        wakeRequested = true;
        rouse();
    }

    /** Makes a sleeper look again. */
    void rouse() {
        Thread t = parked;
        if (t != null) {
            LockSupport.unpark(t);
        }
        if (sleeping) {
            qp.whileMapped(this::wakeOwnSleeper);
        }
    }

    private void wakeOwnSleeper() {
        mem.putIntVolatile(own + ShmLayout.SLEEP_WORD, 0);
        Futex.wake(base + own + ShmLayout.SLEEP_WORD);
    }

    /** See {@link ShmCompletionQueue#busyPoll}. */
    boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
        if (hasSomething()) {
            clearWake();
            return true;
        }
        if ((waits++ & CPU_EVERY - 1) == 0) {
            publishCpu();
        }
        if (peerElsewhere()
                && (spoken ? spinner : listener).spin(something, Long.MAX_VALUE, elsewhere)) {
            return true;
        }
        publishCpu(); // the caller is about to sleep
        return false;
    }

    /** See {@link ShmCompletionQueue#busyLook}. */
    CompletionQueue.BusyLook busyLook() {
        AdaptiveSpin many = spinner.another();
        return (queues, something, elsewhere) -> {
            many.worth(queues);
            return many.spin(something, Long.MAX_VALUE, elsewhere);
        };
    }

    /** A byte came. Event thread. False if there were too many. */
    boolean onWakeByte() {
        Thread t = parked;
        if (t != null) {
            LockSupport.unpark(t);
        }
        return wakeSocket.onByte(t != null);
    }

    /**
     * Something happened that no peer will send a byte for. Any thread but one that holds locks.
     */
    void onChange() {
        rouse();
        wakeSocket.runHandler();
    }
}
