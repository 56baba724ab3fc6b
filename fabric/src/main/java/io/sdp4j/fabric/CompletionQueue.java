package io.sdp4j.fabric;

import java.util.function.BooleanSupplier;

/**
 * Completions of one queue pair, and the ways to wait for them.
 *
 * <p>{@link #poll} and {@link #arm} are called under the caller's lock of the queue pair; {@link
 * #await} by at most one thread at a time and without that lock; {@link #wake} by anybody.
 */
public interface CompletionQueue {
    /**
     * Fills {@code into} with the oldest completion, or returns false. Never blocks, never
     * allocates.
     */
    boolean poll(Completion into);

    /** Whether {@link #poll} would find something now; a plain look without lock, may be stale. */
    boolean ready();

    /**
     * As {@link #ready}, but of what is known without asking a device, where that costs a native
     * call: false does not say that nothing has come.
     */
    default boolean known() {
        return ready();
    }

    /**
     * Waits on a platform thread until {@link #poll} may find something, {@link #wake} is called or
     * the time is over. Looks before it sleeps, so that callers need not look first; spins first if
     * that has paid off lately, then sleeps in the fabric. Not ended by an interrupt. May return
     * early for no reason.
     *
     * @param nanos upper bound; values up to {@link Long#MAX_VALUE} mean "no bound"
     */
    void await(long nanos);

    /** Ends the {@link #await} under way, or the next one if none is. */
    void wake();

    /**
     * Asks for one call of the {@link #onNotify handler} on the event thread when something
     * completes. Returns false, and rings nothing, if something is there already.
     */
    boolean arm();

    /**
     * Sets what {@link #arm} rings. It runs on the event thread: must not block for long. Set once,
     * before use.
     */
    void onNotify(Runnable handler);

    /**
     * Polls for a short while, if polling has paid off lately, until something completes: before a
     * thread waits for {@link #descriptor}, which costs a wake-up. One thread at a time, and none
     * in {@link #await}; without the caller's lock.
     *
     * @param spoken whether this side has said something since it last heard something; the waits
     *     of either kind are judged by their own history
     * @param elsewhere asked every few microseconds whether the thread is wanted elsewhere, which
     *     ends it
     * @return whether something is there
     */
    default boolean busyPoll(boolean spoken, BooleanSupplier elsewhere) {
        return ready();
    }

    /** Busy looks of one thread, with their own history. */
    interface BusyLook {
        /**
         * Looks for a moment whether there is something, if such looks have paid off lately.
         *
         * @param queues for how many; to wait for many costs more, so a longer look is worth it
         * @param elsewhere as in {@link #busyPoll}
         */
        boolean look(int queues, BooleanSupplier something, BooleanSupplier elsewhere);
    }

    /**
     * For a thread that is about to wait for many queues of this fabric at once. Null = such looks
     * would never pay off.
     */
    default BusyLook busyLook() {
        return null;
    }

    /**
     * A descriptor for another epoll or poll, which becomes readable as {@link #armDescriptor}
     * tells. It stays the queue's own, is the same until the queue pair is closed, and is never to
     * be read from. -1 if the fabric has none.
     */
    int descriptor();

    /**
     * Lets the descriptor become unreadable, and asks that it be readable again when something
     * completes; from the end of the connection on it always is. Notifications there do not reach
     * the event thread any more, until {@link #arm} or {@link #releaseDescriptor} is called. Under
     * the caller's lock of the queue pair.
     *
     * @param quietToo whether messages sent with {@link QueuePair#QUIET} matter, too; where not,
     *     they may ring all the same
     * @return false, and nothing will ring, if something is there already
     */
    boolean armDescriptor(boolean quietToo);

    /**
     * Lets quiet messages ring the descriptor, too, until {@link #armDescriptor} is called again;
     * nothing where the descriptor is not armed, or all messages ring it. Under the caller's lock
     * of the queue pair.
     *
     * @return false if something is there already
     */
    default boolean hearQuiet() {
        return true;
    }

    /**
     * Whether the descriptor has been rung since {@link #armDescriptor} asked for it: it is
     * readable, or will be in a moment, and stays so until the next call of that. Until then
     * nothing rings again. Under the caller's lock of the queue pair.
     */
    default boolean rung() {
        return false;
    }

    /**
     * The descriptor is not watched any more. Under the caller's lock of the queue pair.
     * Idempotent.
     */
    void releaseDescriptor();
}
