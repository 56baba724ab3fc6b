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
import java.util.function.BooleanSupplier;

/**
 * How a thread of one side of a connection waits, and wakes the other side: half of its completion
 * queue.
 *
 * <p>Shape: each side has two words in its control line. The sleep word is 1 while a thread sleeps
 * on it in the kernel; the wake word is {@link WakeSocket}'s. Their owner sets them, fences, looks
 * again, and only then waits; a thread that publishes something fences, then looks at them, clears
 * what it finds and wakes. No wake-up is lost and none is paid for in vain.
 *
 * <p>Words are hints: a peer that forges them only delays itself, because what ends the connection
 * or a sleep from this side is told by the private fields here, and rouses a sleeper whatever the
 * words say; and one that ends sleeps for nothing again and again is cut. A peer may even take a
 * sleeper off its word ({@code FUTEX_REQUEUE}), so each sleep ends by itself.
 *
 * <p>{@link #await} and {@link #busyPoll} are used by one thread at a time, {@link #notifyPeer}
 * under the queue pair's lock, the rest by any thread.
 */
abstract class Waiter implements CompletionQueue {
    /** Sleeps of one wait that a peer may end for nothing in {@link #FUTILE_NANOS}. */
    private static final int MOST_FUTILE = 1000;

    private static final long FUTILE_NANOS = TimeUnit.SECONDS.toNanos(100);

    /** Longest sleep, about a minute. Long, because idle connections should cost nothing. */
    private static final long LONGEST_SLEEP_NANOS = 1L << 36;

    private static final int CPU_EVERY = 16;

    /**
     * Most yields of one wait. After one yield the peer has usually run, but other threads may run
     * first.
     */
    private static final int MOST_YIELDS = 2;

    /** In a wait of this length another, unrelated thread used the processor. */
    private static final long TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

    /** Waits on the peer's processor before the two threads seem to stay there. */
    private static final int SETTLED = 32;

    /**
     * One in this many waits on the peer's processor sleeps, because a woken thread may move to
     * another processor.
     */
    private static final int SLEEP_EVERY = 1024;

    final ShmQueuePair qp;
    final MappedMemory mem;
    private final long base; // its address
    final WakeSocket wakeSocket;
    private final long own;
    final long peer;
    private final AdaptiveSpin spinner;

    /** For waits of a side that has sent nothing since it last received something. */
    private final AdaptiveSpin listener;

    private final AdaptiveYield yielder;

    /** This process has one processor only. */
    private final boolean alone;

    private final BooleanSupplier something = this::hasSomething;
    private final Runnable wakeOwn = this::wakeOwnSleeper;
    private volatile boolean wakeRequested;

    /** A thread sleeps on the sleep word or is about to. */
    private volatile boolean sleeping;

    /** How often something was published since the last sleep. Lost increments do no harm. */
    private int said;

    private int waits;
    private int cpu = -1;
    private long futileSince;

    /**
     * Number of waits since the peer was last seen on another processor; 0 follows the largest
     * number.
     */
    private int beside;

    /** Null if co-location is off. */
    private final CoLocation together;

    Waiter(ShmQueuePair qp, MappedMemory mem, ShmQueuePair.Parts parts) {
        this.qp = qp;
        this.mem = mem;
        base = mem.segment().address();
        wakeSocket = new WakeSocket(qp, mem, parts.side());
        own = ShmLayout.control(parts.side());
        peer = ShmLayout.control(1 - parts.side());
        spinner = parts.spinner();
        listener = spinner.another();
        together =
                parts.sleepTogether() && Affinity.available()
                        ? new CoLocation(mem, parts.side())
                        : null;
        yielder = new AdaptiveYield(MOST_YIELDS, TURN_NANOS);
        Futex.init();
        alone = Runtime.getRuntime().availableProcessors() == 1;
    }

    /**
     * Wakes the peer if it asked for that. Called after something other than a quiet message was
     * published.
     */
    void notifyPeer() {
        notifyPeer(false);
    }

    /** Wakes the peer if it asked for that. Called after something was published. */
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
            Futex.wake(base + peer + ShmLayout.SLEEP_WORD);
        }
        int wanted = (int) (words >>> 32);
        if (wanted != 0 && !(quiet && wanted == WakeSocket.LOUD)) {
            mem.putIntOpaque(peer + ShmLayout.WAKE_WORD, 0);
            qp.liveness.link.ring();
        }
    }

    /**
     * Waits until there is something, or {@link #wake} was called, for {@code nanos} at most: spins
     * or gives way to the peer, then sleeps.
     *
     * <p>Long on purpose: a method of more than 325 bytes is compiled once, and not into each of
     * its callers (docs/decisions/0020-a-wait-is-compiled-once.md).
     */
    @Override
    public void await(long nanos) {
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
        boolean found = false;
        if (peerElsewhere()) {
            found = spinner.spin(something, nanos, Waiter::never);
        } else if (together != null
                && (beside = (beside + 1) & Integer.MAX_VALUE) > SETTLED
                && beside % SLEEP_EVERY != 0
                && (alone || CpuPressure.crowded(System.nanoTime()))) {
            // not if another processor may be idle: two are better than one, and a sleeping thread
            // is woken there
            found = yielder.giveWay(something);
        }
        if (!found) {
            publishCpu();
            int joined = -1;
            if (together != null) {
                long now = System.nanoTime();
                int spoke = said;
                said = 0;
                boolean crowded = CpuPressure.crowded(now);
                joined = together.join(now, spinner.allowed(now) ? 0 : spoke, crowded);
            }
            if (joined >= 0) {
                cpu = joined;
                mem.putIntOpaque(own + ShmLayout.CPU_WORD, joined + 1);
            }
            try {
                long deadline = deadline(nanos);
                long word = own + ShmLayout.SLEEP_WORD;
                sleeping = true;
                int taken = qp.taken();
                for (int futile = 0; ; ) {
                    mem.putIntOpaque(word, 1);
                    VarHandle.fullFence();
                    long left = left(deadline);
                    if (hasSomething() || left <= 0) {
                        break;
                    }
                    boolean woken =
                            Futex.await(base + word, 1, Math.min(left, LONGEST_SLEEP_NANOS));
                    if (hasSomething()) {
                        break;
                    }
                    int before = taken;
                    taken = qp.taken();
                    if (taken != before) {
                        futile = 0; // another thread took what had come
                    } else if (woken || mem.getIntOpaque(word) != 1) {
                        // neither a signal nor a timeout changes the word
                        if (futile % MOST_FUTILE == 0) {
                            onFutile(futile);
                        }
                        futile++;
                    }
                }
                mem.putIntOpaque(word, 0);
                sleeping = false;
                publishCpu();
            } finally {
                if (joined >= 0) {
                    together.part();
                }
            }
        }
        clearWake();
    }

    private static boolean never() {
        return false;
    }

    boolean hasSomething() {
        return ready() || wakeRequested;
    }

    private void clearWake() {
        if (wakeRequested) {
            wakeRequested = false;
        }
    }

    /** Cuts a peer that keeps ending sleeps for nothing. */
    private void onFutile(int before) {
        long now = System.nanoTime();
        if (before > 0 && now - futileSince < FUTILE_NANOS) {
            qp.killSoon(WcStatus.REM_INV_REQ_ERR);
        }
        futileSince = now;
    }

    private static long deadline(long nanos) {
        return nanos > Long.MAX_VALUE / 4 ? Long.MAX_VALUE : System.nanoTime() + nanos;
    }

    private static long left(long deadline) {
        return deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
    }

    private void publishCpu() {
        int now = Linux.cpu();
        if (now != cpu) {
            cpu = now;
            mem.putIntOpaque(own + ShmLayout.CPU_WORD, now + 1);
        }
    }

    /**
     * Whether the peer runs on another processor. Spinning on the peer's own processor would only
     * keep it from answering.
     */
    private boolean peerElsewhere() {
        boolean elsewhere = mem.getIntOpaque(peer + ShmLayout.CPU_WORD) != cpu + 1;
        if (elsewhere) {
            beside = 0;
        }
        return elsewhere;
    }

    @Override
    public void wake() {
        wakeRequested = true;
        rouse();
    }

    /** Makes a sleeper look again. */
    void rouse() {
        if (sleeping) {
            qp.liveness.whileMapped(wakeOwn); // allocates nothing
        }
    }

    private void wakeOwnSleeper() {
        mem.putIntVolatile(own + ShmLayout.SLEEP_WORD, 0);
        Futex.wake(base + own + ShmLayout.SLEEP_WORD);
    }

    @Override
    public boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
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

    @Override
    public BusyLook busyLook() {
        AdaptiveSpin many = spinner.another();
        return (queues, something, elsewhere) -> {
            many.worth(queues);
            return many.spin(something, Long.MAX_VALUE, elsewhere);
        };
    }

    /**
     * Called when something happened for which no peer sends a byte. Any thread that holds no lock.
     */
    void onChange() {
        rouse();
        wakeSocket.runHandler();
    }
}
