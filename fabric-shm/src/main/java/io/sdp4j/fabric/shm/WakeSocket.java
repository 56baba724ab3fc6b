package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.MappedMemory;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Notifies one side of a connection while none of its threads waits: by a byte on the socket, for
 * the event thread, which calls the handler, or for another epoll.
 *
 * <p>Shape: the wake word in this side's control line is not 0 when a byte is wanted, and {@link
 * #LOUD} when quiet messages are not worth one. This side sets the word, fences, and looks again;
 * the peer's {@link Waiter} clears a word that is set and sends the byte. So no byte is lost and
 * none is sent in vain. A peer that forges the word delays itself; one that sends unsolicited bytes
 * is cut.
 *
 * <p>Thread-safety: {@link #arm} and {@link #armDescriptor} are called under the queue pair's lock;
 * any thread may call the rest.
 */
final class WakeSocket {
    /** Values of the wake word. */
    static final int ANY = 1;

    static final int LOUD = 2;

    /** Surplus of unsolicited bytes over wanted ones at which the connection is cut. */
    private static final int MAX_STRIKES = 1000;

    private final ShmQueuePair qp;
    private final MappedMemory mem;
    private final long word;

    private volatile Runnable handler;

    private final AtomicBoolean armed = new AtomicBoolean();

    /** Another epoll watches the socket. Set under the queue pair's lock. */
    private volatile boolean polled;

    /** How often the descriptor was armed while the wake word was still set. */
    private int standings; // queue pair's lock

    /**
     * A byte was wanted since the last one came. When it comes, perhaps no thread waits any more.
     */
    private volatile boolean asked;

    /** Unsolicited bytes minus wanted ones. Used by the thread that takes the bytes. */
    private int strikes;

    WakeSocket(ShmQueuePair qp, MappedMemory mem, int side) {
        this.qp = qp;
        this.mem = mem;
        word = ShmLayout.control(side) + ShmLayout.WAKE_WORD;
    }

    /**
     * Asks for a byte for anything that is published from now on. The caller has to look again
     * afterwards.
     */
    void ask(int value) {
        asked = true;
        mem.putIntOpaque(word, value);
        VarHandle.fullFence();
    }

    boolean arm() {
        releaseDescriptor();
        armed.set(true);
        ask(ANY);
        if (!qp.completions.ready()) {
            return true;
        }
        if (!armed.getAndSet(false)) {
            return true; // the handler has been called already
        }
        mem.putIntOpaque(word, 0);
        return false;
    }

    /**
     * Takes the byte on the socket and asks for another one. While the wake word is still set, the
     * peer has sent no byte, and nothing need be done. Every second time the socket is read all the
     * same: for a byte that came after its word was seen cleared, and because a peer that sends
     * unsolicited bytes must not keep a poller busy.
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
            ask(wanted); // also if it was cleared after that look, for a byte that was taken since
        }
        return !qp.completions.ready();
    }

    /**
     * See {@link ShmCompletionQueue#hearQuiet}. A peer that clears the word meanwhile has sent its
     * byte, and sends another one later: one wake-up in vain, as rarely as that.
     */
    boolean hearQuiet() {
        if (!polled || mem.getIntOpaque(word) != LOUD) {
            return true;
        }
        ask(ANY);
        return !qp.completions.ready();
    }

    /**
     * See {@link ShmCompletionQueue#rung}. The side that clears the word sends a byte right after
     * it, and no byte is taken without setting the word again afterwards. So a word that is clear
     * stands for a byte that is there or on its way. A peer that clears it and sends none deceives
     * itself.
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

    /** Whether another epoll takes the bytes on the socket. */
    boolean polled() {
        return polled;
    }

    /** Lets no more calls of the handler begin. */
    void disarm() {
        armed.set(false);
    }

    void onNotify(Runnable called) {
        handler = called;
    }

    /** Handles a byte that came; false if there were too many unsolicited ones. Event thread. */
    boolean onByte() {
        boolean wanted = asked;
        asked = false;
        return strike(runHandler() || wanted);
    }

    /**
     * Counts a byte; false if too many were unsolicited. A wanted byte makes up for an unsolicited
     * one, because some come late.
     */
    private boolean strike(boolean wanted) {
        strikes = wanted ? Math.max(0, strikes - 1) : strikes + 1;
        return strikes < MAX_STRIKES;
    }

    /** Calls the handler if it is armed. Returns whether it was. */
    boolean runHandler() {
        if (!armed.get() || !armed.getAndSet(false)) {
            return false;
        }
        Runnable r = handler;
        if (r != null) {
            try {
                r.run();
            } catch (OutOfMemoryError e) {
                armed.set(true); // the event thread calls it again
                throw e;
            }
        }
        return true;
    }
}
