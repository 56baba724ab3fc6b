package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.MappedMemory;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells one side of a connection of something while no thread of it waits: by a byte on the socket,
 * for the event thread, which calls the handler, or for another epoll.
 *
 * <p>Shape: the wake word in this side's control line is not 0 when a byte is wanted, and {@link
 * #LOUD} when quiet messages are not worth one. This side sets it, fences, and looks again; the
 * peer's {@link Waiter} clears what it finds and sends the byte. So none is lost and none is sent
 * in vain. A peer that forges the word, or sends unsolicited bytes, is held up or cut.
 *
 * <p>{@link #arm} and {@link #armDescriptor} are used under the queue pair's lock, the rest by any
 * thread.
 */
final class WakeSocket {
    /** Values of the wake word. */
    static final int ANY = 1;

    static final int LOUD = 2;

    /** Bytes that were not asked for, beyond those that were, before the connection is cut. */
    private static final int MAX_STRIKES = 1000;

    private final ShmQueuePair qp;
    private final MappedMemory mem;
    private final long word;

    private volatile Runnable handler;

    private final AtomicBoolean armed = new AtomicBoolean();

    /** Another epoll watches the socket. Set under the queue pair's lock. */
    private volatile boolean polled;

    /** How often the descriptor was asked for while the asking before still stood. */
    private int standings; // queue pair's lock

    /**
     * A byte was wanted since the last one that came; it may find that no thread waits any more.
     */
    private volatile boolean asked;

    /** Of the thread that takes the bytes. */
    private int strikes;

    WakeSocket(ShmQueuePair qp, MappedMemory mem, int side) {
        this.qp = qp;
        this.mem = mem;
        word = ShmLayout.control(side) + ShmLayout.WAKE_WORD;
    }

    /** Wants a byte for what is published from now on; to be followed by a look. */
    void ask(int value) {
        asked = true;
        mem.putIntOpaque(word, value);
        VarHandle.fullFence();
    }

    boolean arm() {
        releaseDescriptor();
        armed.set(true);
        ask(ANY);
        if (!qp.ready()) {
            return true;
        }
        if (!armed.getAndSet(false)) {
            return true; // the handler has been called already
        }
        mem.putIntOpaque(word, 0);
        return false;
    }

    /**
     * Takes the byte on the socket and wants another one. While the wake word stands as it was set
     * a peer has sent no byte, and nothing need be done. Every other time the socket is looked at
     * all the same: for a byte that came after its word was seen cleared, and because a peer that
     * sends unsolicited bytes must not keep a poller busy.
     *
     * @param quietToo whether quiet messages are worth a byte
     */
    boolean armDescriptor(boolean quietToo) {
        if (!polled) {
            polled = true;
            qp.liveness.leaveBytes(true);
        }
        int wanted = quietToo ? ANY : LOUD;
        boolean stands = mem.getIntOpaque(word) == wanted;
        boolean taken = (!stands || (++standings & 1) == 0) && qp.liveness.discardBytes();
        if (taken && !strike(!stands)) {
            qp.killSoon(WcStatus.REM_INV_REQ_ERR);
        }
        if (!stands || taken) {
            ask(wanted); // also if it was cleared after that look, for a byte that is gone now
        }
        return !qp.ready();
    }

    /**
     * See {@link ShmQueuePair#hearQuiet}. A peer that clears the word meanwhile has sent its byte,
     * and sends another one later: one wake-up in vain, as rarely as that.
     */
    boolean hearQuiet() {
        if (!polled || mem.getIntOpaque(word) != LOUD) {
            return true;
        }
        ask(ANY);
        return !qp.ready();
    }

    /**
     * See {@link ShmQueuePair#rung}. The side that clears the word sends a byte right after it, and
     * no byte is taken without setting the word again afterwards. So a word that is clear stands
     * for a byte that is there or on its way. A peer that clears it and sends none deceives itself.
     */
    boolean rung() {
        return polled && mem.getIntOpaque(word) == 0;
    }

    void releaseDescriptor() {
        if (polled) {
            polled = false;
            qp.liveness.leaveBytes(false);
        }
    }

    /** Whether the bytes on the socket are left to another epoll. */
    boolean polled() {
        return polled;
    }

    /** No more calls of the handler begin. */
    void disarm() {
        armed.set(false);
    }

    void onNotify(Runnable called) {
        handler = called;
    }

    /** A byte came. Event thread. False if there were too many unsolicited ones. */
    boolean onByte() {
        boolean wanted = asked;
        asked = false;
        return strike(runHandler() || wanted);
    }

    /** Each byte that was wanted makes up for one that was not: some come late. */
    private boolean strike(boolean wanted) {
        strikes = wanted ? Math.max(0, strikes - 1) : strikes + 1;
        return strikes < MAX_STRIKES;
    }

    /** Calls the handler if it is armed; whether it was. */
    boolean runHandler() {
        if (!armed.get() || !armed.getAndSet(false)) {
            return false;
        }
        Runnable r = handler;
        if (r != null) {
            try {
                r.run();
            } catch (OutOfMemoryError e) {
                armed.set(true); // the event thread tells it again
                throw e;
            }
        }
        return true;
    }
}
