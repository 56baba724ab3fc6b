package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.CompletionQueue;
import io.sdp4j.rdma.os.Affinity;
import io.sdp4j.rdma.os.Futex;
import io.sdp4j.rdma.os.Linux;
import io.sdp4j.rdma.os.Spinner;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * How one side of a connection waits, and wakes the other.
 *
 * <p>Shape: each side has two words in its control line. The sleep word is 1 while a thread sleeps
 * on it in the kernel; the bell word is not 0 when a byte on the socket is wanted, and {@link
 * #LOUD} when quiet messages are not worth one. Their owner sets them, fences, looks again, and
 * only then waits; whoever publishes something fences, then looks at them, clears what it finds and
 * wakes. No wake-up is lost and none is paid for in vain. Where the two sides cannot share futexes,
 * a thread parks and the bell's byte, taken by the event thread, unparks it.
 *
 * <p>Words are hints: a peer that forges them delays itself, because every sleep ends after 100 ms
 * at the latest when it is young and after a second when it is old, and because what really ends
 * the connection is told by the private fields here.
 *
 * <p>{@link #await} and {@link #busyPoll} are used by one thread at a time, {@link #notifyPeer},
 * {@link #arm} and {@link #armDescriptor} under the queue pair's lock, the rest by any thread.
 */
final class Waiter {
    private static final long YOUNG_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long OLD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int YOUNG_SLEEPS = 10;
    private static final int CPU_EVERY = 16;

    /** Bytes nobody asked for before the peer is taken for mad. */
    private static final int MAX_STRIKES = 1000;

    /** Values of the bell word. */
    private static final int ANY = 1;

    private static final int LOUD = 2;

    private static final VarHandle ARMED;

    static {
        try {
            ARMED = MethodHandles.lookup().findVarHandle(Waiter.class, "armed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ShmQueuePair qp;
    private final MemorySegment mem;
    private final long own;
    private final long peer;
    private final boolean nativeCalls;
    private final boolean futex;
    private final Spinner spinner;

    /** Judges waits of a side that has said nothing since it last heard something. */
    private final Spinner listener;

    private final BooleanSupplier something = this::hasSomething;
    private volatile Runnable handler;
    private volatile boolean wakeRequested;

    /** A thread sleeps, or is about to, on the sleep word. */
    private volatile boolean sleeping;

    /** The thread that is parked, or is about to. */
    private volatile Thread parked;

    @SuppressWarnings("unused") // by ARMED
    private volatile boolean armed;

    /** Somebody else's epoll watches the socket. Set under the queue pair's lock. */
    private volatile boolean polled;

    /** How often the descriptor was asked for while the asking before still stood. */
    private int standings; // queue pair's lock

    /** A byte was wanted since the last one that came; it may find that nobody waits any more. */
    private volatile boolean asked;

    /** Of the event thread. */
    private int strikes;

    /** How often something was published since the last sleep; what is lost of it does no harm. */
    private int said;

    private int waits;
    private int cpu = -1;

    /** Null where nobody sleeps together. */
    private final Together together;

    /**
     * @param futex whether both sides can sleep and wake by futex
     */
    Waiter(ShmQueuePair qp, MemorySegment mem, ShmQueuePair.Parts parts, boolean futex) {
        this.qp = qp;
        this.mem = mem;
        own = ShmLayout.control(parts.side());
        peer = ShmLayout.control(1 - parts.side());
        nativeCalls = parts.nativeCalls();
        this.futex = futex;
        spinner = parts.spinner();
        listener = spinner.another();
        together =
                futex && nativeCalls && parts.sleepTogether() && Affinity.available()
                        ? new Together(mem, parts.side())
                        : null;
    }

    /** After something was published that matters: wakes the peer if it asked for that. */
    void notifyPeer() {
        notifyPeer(false);
    }

    /** After something was published: wakes the peer if it asked for that. */
    void notifyPeer(boolean quiet) {
        said++;
        VarHandle.fullFence();
        long words = (long) Words.LONG.getOpaque(mem, peer + ShmLayout.SLEEP_WORD);
        if (words != 0) {
            wakePeer(words, quiet);
        }
    }

    private void wakePeer(long words, boolean quiet) {
        if ((int) words != 0) {
            Words.INT.setOpaque(mem, peer + ShmLayout.SLEEP_WORD, 0);
            if (futex) {
                Futex.wake(mem.address() + peer + ShmLayout.SLEEP_WORD);
            }
        }
        int bell = (int) (words >>> 32);
        if (bell != 0 && !(quiet && bell == LOUD)) {
            Words.INT.setOpaque(mem, peer + ShmLayout.BELL_WORD, 0);
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
        if (peerElsewhere() && spinner.spin(something, nanos, Waiter::never)) {
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
        Words.INT.setOpaque(mem, own + ShmLayout.CPU_WORD, joined + 1);
        try {
            sleepHere(nanos);
        } finally {
            together.part();
        }
    }

    /** See {@link Together#join}. */
    private int joinPeer() {
        long now = System.nanoTime();
        int spoke = said;
        said = 0;
        return together.join(now, spinner.allowed(now) ? 0 : spoke);
    }

    private void sleepHere(long nanos) {
        long deadline = deadline(nanos);
        long word = own + ShmLayout.SLEEP_WORD;
        sleeping = true;
        for (int n = 0; ; n++) {
            Words.INT.setOpaque(mem, word, 1);
            VarHandle.fullFence();
            long left = left(deadline);
            if (hasSomething() || left <= 0) {
                break;
            }
            long most = n < YOUNG_SLEEPS ? YOUNG_NANOS : OLD_NANOS;
            Futex.await(mem.address() + word, 1, Math.min(left, most));
            if (hasSomething()) {
                break;
            }
        }
        Words.INT.setOpaque(mem, word, 0);
        sleeping = false;
        publishCpu();
    }

    private void park(long nanos) {
        long deadline = deadline(nanos);
        boolean interrupted = false;
        publishCpu();
        parked = Thread.currentThread();
        for (int n = 0; ; n++) {
            ask(ANY);
            long left = left(deadline);
            if (hasSomething() || left <= 0) {
                break;
            }
            LockSupport.parkNanos(this, Math.min(left, n < YOUNG_SLEEPS ? YOUNG_NANOS : OLD_NANOS));
            // a set flag would make every further park return at once
            interrupted |= Thread.interrupted();
        }
        parked = null;
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
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
                Words.INT.setOpaque(mem, own + ShmLayout.CPU_WORD, now + 1);
            }
        }
    }

    /** Spinning on the processor that the peer needs would only keep it from answering. */
    private boolean peerElsewhere() {
        return (int) Words.INT.getOpaque(mem, peer + ShmLayout.CPU_WORD) != cpu + 1;
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
        Words.INT.setVolatile(mem, own + ShmLayout.SLEEP_WORD, 0);
        Futex.wake(mem.address() + own + ShmLayout.SLEEP_WORD);
    }

    /** Wants a byte for what is published from now on; to be followed by a look. */
    private void ask(int bell) {
        asked = true;
        Words.INT.setOpaque(mem, own + ShmLayout.BELL_WORD, bell);
        VarHandle.fullFence();
    }

    boolean arm() {
        releaseDescriptor();
        ARMED.setVolatile(this, true);
        ask(ANY);
        if (!qp.ready()) {
            return true;
        }
        if (!(boolean) ARMED.getAndSet(this, false)) {
            return true; // the handler has been called already
        }
        if (futex) {
            Words.INT.setOpaque(mem, own + ShmLayout.BELL_WORD, 0);
        }
        return false;
    }

    /**
     * Takes the byte on the socket and wants another one. While the bell word stands as it was set
     * a peer has not rung, and nothing need be done. Every other time the socket is looked at all
     * the same: for a byte that came after its word was seen cleared, and because a peer that rings
     * without having been asked must not keep a poller busy.
     *
     * @param quietToo whether quiet messages are worth a byte
     */
    boolean armDescriptor(boolean quietToo) {
        if (!polled) {
            polled = true;
            qp.leaveBytes(true);
        }
        int wanted = quietToo ? ANY : LOUD;
        boolean stands = (int) Words.INT.getOpaque(mem, own + ShmLayout.BELL_WORD) == wanted;
        boolean taken = (!stands || (++standings & 1) == 0) && qp.discardBytes();
        if (!stands || taken) {
            ask(wanted); // also if it was cleared after that look, for a byte that is gone now
        }
        return !qp.ready();
    }

    /**
     * See {@link ShmCompletionQueue#rung}. Whoever clears the word sends a byte right after it, and
     * no byte is taken without setting the word again afterwards. So a word that is clear stands
     * for a byte that is there or on its way. A peer that clears it and sends none deceives itself.
     */
    boolean rung() {
        return polled && (int) Words.INT.getOpaque(mem, own + ShmLayout.BELL_WORD) == 0;
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
        Spinner many = spinner.another();
        return (queues, something, elsewhere) -> {
            many.worth(queues);
            return many.spin(something, Long.MAX_VALUE, elsewhere);
        };
    }

    void releaseDescriptor() {
        if (polled) {
            polled = false;
            qp.leaveBytes(false);
        }
    }

    /** Whether the bytes on the socket are somebody else's to take. */
    boolean polled() {
        return polled;
    }

    /** No more calls of the handler begin. */
    void disarm() {
        ARMED.setVolatile(this, false);
    }

    void onDoorbell(Runnable called) {
        handler = called;
    }

    /** A byte came. Event thread. False if there were too many. */
    boolean onBell() {
        Thread t = parked;
        if (t != null) {
            strikes = 0;
            LockSupport.unpark(t);
        }
        boolean wanted = asked;
        asked = false;
        if (!runHandler() && t == null && !wanted) {
            return ++strikes < MAX_STRIKES;
        }
        strikes = 0;
        return true;
    }

    /** Something happened that no peer will ring for. Any thread but one that holds locks. */
    void onChange() {
        rouse();
        runHandler();
    }

    private boolean runHandler() {
        if (!(boolean) ARMED.getAndSet(this, false)) {
            return false;
        }
        Runnable r = handler;
        if (r != null) {
            r.run();
        }
        return true;
    }
}
