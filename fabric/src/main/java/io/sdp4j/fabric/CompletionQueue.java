package io.sdp4j.fabric;

import java.util.function.BooleanSupplier;

/**
 * Completions of one queue pair, and the ways to wait for them.
 *
 * <p>{@link #poll} and {@link #arm} are called under the caller's lock of the queue pair; {@link
 * #await} by at most one thread at a time and without that lock; {@link #wake} by any thread.
 */
public interface CompletionQueue {
    /**
     * Fills {@code into} with the oldest completion, or returns false. Never blocks, never
     * allocates.
     */
    boolean poll(Completion into);

    /** Whether {@link #poll} would find something now. Needs no lock; the answer may be stale. */
    boolean ready();

    /**
     * As {@link #ready}, but never asks a device, which would cost a native call. So false does not
     * mean that nothing has completed.
     */
    default boolean known() {
        return ready();
    }

    /**
     * Waits on a platform thread until {@link #poll} may find something, {@link #wake} is called or
     * the time is over. Looks before it sleeps, so callers need not look first. Spins if spinning
     * has paid off lately, then sleeps in the fabric. An interrupt does not end the wait. May
     * return early for no reason.
     *
     * @param nanos upper bound; values up to {@link Long#MAX_VALUE} mean "no bound"
     */
    void await(long nanos);

    /** Ends the {@link #await} under way; if there is none, the next one returns at once. */
    void wake();

    /**
     * Asks for one call of the {@link #onNotify handler} on the event thread when something
     * completes. Returns false, and rings nothing, if something is there already.
     */
    boolean arm();

    /**
     * Sets the handler that {@link #arm} asks for. The handler runs on the event thread and must
     * not block for long. Called once, before use.
     */
    void onNotify(Runnable handler);

    /**
     * Polls for a short while until something completes, if polling has paid off lately. For a
     * thread that is about to wait for {@link #descriptor}, which costs a wake-up. Called by one
     * thread at a time while none is in {@link #await}, without the caller's lock.
     *
     * @param spoken whether this side has sent something since it last received something; waits
     *     after a send and other waits have separate histories
     * @param elsewhere asked every few microseconds; true ends the polling, because the thread is
     *     wanted elsewhere
     * @return whether something is there
     */
    default boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
        return ready();
    }

    /** Busy looks of one thread, with their own history. */
    interface BusyLook {
        /**
         * Polls {@code something} for a moment, if such looks have paid off lately.
         *
         * @param queues how many queues the thread is about to wait for; a wait for many costs
         *     more, so a longer look is worth it
         * @param elsewhere as in {@link #busyPoll}
         */
        boolean look(int queues, BooleanSupplier something, BooleanSupplier elsewhere);
    }

    /**
     * Returns a look for a thread that is about to wait for many queues of this fabric at once, or
     * null if such looks never pay off.
     */
    default BusyLook busyLook() {
        return null;
    }

    /**
     * Returns a descriptor for the caller's epoll or poll. {@link #armDescriptor} says when it
     * becomes readable. The queue owns it, it stays the same until the queue pair is closed, and
     * callers never read from it. -1 if the fabric has none.
     */
    int descriptor();

    /**
     * Makes the descriptor unreadable until something completes; after the end of the connection it
     * is always readable. Until {@link #arm} or {@link #releaseDescriptor} is called, notifications
     * make the descriptor readable and do not reach the event thread. Under the caller's lock of
     * the queue pair.
     *
     * @param quietToo whether messages sent with {@link QueuePair#QUIET} ring, too; if false, they
     *     still may
     * @return false, and nothing will ring, if something is there already
     */
    boolean armDescriptor(boolean quietToo);

    /**
     * Lets quiet messages ring the descriptor, too, until {@link #armDescriptor} is called again.
     * Does nothing if the descriptor is not armed or all messages ring it. Under the caller's lock
     * of the queue pair.
     *
     * @return false if something is there already
     */
    default boolean hearQuiet() {
        return true;
    }

    /**
     * Whether the descriptor has been rung since {@link #armDescriptor} was last called. It is then
     * readable, or will be in a moment, and stays so until the next call of {@link #armDescriptor};
     * nothing rings again before. Under the caller's lock of the queue pair.
     */
    default boolean rung() {
        return false;
    }

    /**
     * Says that the descriptor is not watched any more. Under the caller's lock of the queue pair.
     * Idempotent.
     */
    void releaseDescriptor();
}
