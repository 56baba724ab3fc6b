package io.sdp4j.offload.spi;

import io.sdp4j.api.ConnectionInfo;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * One established, offloaded byte stream, as operations that never block plus one way to wait.
 *
 * <p>Thread-safety: at most one thread reads and at most one writes at a time (the switch's read
 * and write locks); everything else may be called by anybody at any time before {@link #close}.
 * {@code close} is called once, when no other call runs, and none comes after it.
 *
 * <p>Errors: what the peer or the fabric did is reported by the try-operations with the exception
 * class and text that the JDK's own sockets give ({@code SocketException("Connection reset")},
 * {@code SocketException("Broken pipe")}, ...). Data that arrived before a reset is delivered
 * first.
 */
public interface OffloadStream {
    int READ = 1;
    int WRITE = 2;

    /** Most bytes of {@link #tryBegin}. */
    int MOST_BEGIN_BYTES = 8;

    /**
     * Besides what is ready, in an answer of {@link #requestNotify}: the notify descriptor shows
     * it.
     */
    int RUNG = 4;

    /**
     * Answer of {@link #requestNotify}: the notify descriptor means nothing any more, nor ever
     * will.
     */
    int NO_DESCRIPTOR = -2;

    /**
     * Reads what is there: more than 0 bytes, 0 = nothing now (or {@code len} is 0), -1 = end of
     * stream.
     */
    int tryRead(byte[] b, int off, int len) throws IOException;

    /**
     * As {@link #tryRead(byte[], int, int)}, into {@code dst}'s remaining bytes; advances its
     * position.
     */
    int tryRead(ByteBuffer dst) throws IOException;

    /**
     * Writes what can be taken now, possibly 0 bytes. Bytes that were taken are on their way
     * without further calls.
     */
    int tryWrite(byte[] b, int off, int len) throws IOException;

    /**
     * As {@link #tryWrite(byte[], int, int)}, from {@code src}'s remaining bytes; advances its
     * position.
     */
    int tryWrite(ByteBuffer src) throws IOException;

    /**
     * Writes from the remaining bytes of several buffers, in order, as one call: they may travel
     * together. A failure after some bytes is told by the next call. What an {@code int} cannot
     * count is left to further calls.
     *
     * @param from the first one
     * @param to one more than the last one
     */
    default int tryWrite(ByteBuffer[] srcs, int from, int to) throws IOException {
        int total = 0;
        boolean all = true;
        for (int i = from; i < to && all; i++) {
            if (srcs[i].remaining() > Integer.MAX_VALUE - total) {
                return total;
            }
            if (srcs[i].hasRemaining()) {
                try {
                    total += tryWrite(srcs[i]);
                } catch (SocketException e) {
                    if (total == 0) {
                        throw e;
                    }
                    return total;
                }
                all = !srcs[i].hasRemaining();
            }
        }
        return total;
    }

    /**
     * Writes all of a short payload before anything else: bytes that the peer's switch reads, and
     * not its application, so that a peer that ends before it has read them has lost nothing.
     *
     * @return whether it was written; false = nothing was
     */
    default boolean tryBegin(byte[] b) {
        return false;
    }

    /** Sends one urgent byte if there is room; false = not now. */
    boolean tryWriteUrgent(int value) throws IOException;

    /** Whether a received urgent byte stays in the stream; if not, it is dropped. Default false. */
    void oobInline(boolean inline);

    /**
     * Whether the application has still to read bytes that came before this stream, by other means:
     * then it does not stand before the stream's first byte, and an urgent one there stays in line
     * when the next one comes. That holds for all that has come when this is set to false. Default
     * false.
     */
    default void readerBehind(boolean behind) {}

    /**
     * Whether the peer's process has ended without a word. Readers are told that as an end in
     * order, or as a reset if it has left input unread. Default false.
     */
    default boolean peerVanished() {
        return false;
    }

    /**
     * Whether a peer is to be missed although nothing is said (SO_KEEPALIVE). A stream whose peer
     * cannot vanish unseen has nothing to do. Default false.
     */
    default void keepAlive(boolean on) {}

    /** Bytes that {@link #tryRead} would give without waiting; makes progress first. */
    int available() throws IOException;

    /**
     * Which of {@link #READ} and {@link #WRITE} would not return 0 now; end of stream and errors
     * count as ready.
     */
    int ready();

    /**
     * About how many bytes the next {@code tryWrite} would take, for a caller that would have to
     * fetch them first; 0 if {@link #WRITE} is not ready, and more if it is.
     */
    default int room() {
        return (ready() & WRITE) == 0 ? 0 : Integer.MAX_VALUE;
    }

    /**
     * Waits until {@code ready() & ops} may be non-zero, {@link #wake} is called or the time is
     * over. Parks a virtual thread, and returns at once if that is interrupted; a platform thread's
     * interrupt does not end the wait. May return early for no reason.
     *
     * @param ops {@link #READ} or {@link #WRITE}; at most one thread waits for each at a time
     * @param nanos upper bound; {@link Long#MAX_VALUE} = none
     */
    void await(int ops, long nanos);

    /**
     * Makes every {@link #await} that runs now return and, for a direction in which none runs, the
     * next one. So a state that is set before the wake-up is never missed.
     */
    void wake();

    /**
     * Asks for one call of {@code onReady} as soon as {@code ready() & ops} may be non-zero, {@link
     * #wake} or {@link #close} is called. It comes from a thread of the provider, must not block,
     * and may come for no reason. At most one call is outstanding for each of {@link #READ} and
     * {@link #WRITE}: another one takes its place.
     *
     * @param ops {@link #READ}, {@link #WRITE} or both; for both there may be one call or two
     * @return false, and no call comes, if something is ready now or {@link #wake} was called since
     *     the last wait
     */
    boolean arm(int ops, Runnable onReady);

    /** A buffer, or several, that an operation has borrowed from the application. */
    interface Loan {
        /** How many buffers there are, at least 1. */
        int buffers();

        /** Buffer {@code index}; its remaining bytes are lent. */
        ByteBuffer buffer(int index);
    }

    /**
     * Whether to {@link #lend} these buffers before the operation is tried for the first time,
     * because what is copied at once cannot be lent any more. Asked for operations that may wait.
     *
     * @param op {@link #READ} or {@link #WRITE}
     * @param loan asked during this call only
     */
    default boolean wantsLoan(int op, Loan loan) {
        return false;
    }

    /**
     * Lends the buffers of a waiting operation to the stream until {@link #reclaim}: it may move
     * payload straight from or to their remaining bytes, without a copy. The try-operations that
     * follow in this direction are given the same buffers in the same order and account for what
     * has moved already. A stream that copies has nothing to do.
     *
     * @param op {@link #READ} or {@link #WRITE}; one loan for each at a time
     * @param loan asked during this call only
     */
    default void lend(int op, Loan loan) {}

    /**
     * Ends a loan: the operation is complete, or was given up. When it was given up the application
     * has been told to leave the buffers alone as long as the channel is open, so the stream may
     * take its time; when it is complete, nothing may touch the buffers once this has returned.
     *
     * @param givenUp timed out or cancelled; never for a stream that is about to be closed
     */
    default void reclaim(int op, boolean givenUp) {}

    /**
     * A descriptor that a selector can watch, see {@link #requestNotify}; the provider's own, and
     * the same until {@link #close}. Never to be read from. -1 if there is none, or none any more:
     * one that was given out stays the stream's.
     */
    default int notifyFd() {
        return -1;
    }

    /**
     * Polls for a moment until {@code ready() & ops} becomes non-zero, if that is likely: before
     * {@link #requestNotify}, by a thread that is about to wait for the notify descriptor. Returns
     * at once where nothing was read or written since the last call. One thread at a time.
     *
     * @param elsewhere asked every few microseconds whether the thread is wanted elsewhere, which
     *     ends it
     */
    default void busyPoll(int ops, BooleanSupplier elsewhere) {}

    /** Busy looks of one thread, as long as they have paid off lately. */
    interface BusyLook {
        /**
         * Looks for a moment, or not at all.
         *
         * @param streams for how many; to wait for many costs more, so a longer look is worth it
         * @param something whether what is waited for is there
         * @param elsewhere asked every few microseconds whether the thread is wanted elsewhere,
         *     which ends it
         * @return whether there is something
         */
        boolean look(int streams, BooleanSupplier something, BooleanSupplier elsewhere);
    }

    /**
     * For a thread that waits for many streams at once, of which this is one: looks as {@link
     * #busyPoll} does, with a history of their own. Null = they would never pay off.
     */
    default BusyLook busyLook() {
        return null;
    }

    /**
     * Instead of {@link #requestNotify}, by a caller that comes back very soon because the notify
     * descriptor is readable: leaves it so if a notification came since one was asked for. The peer
     * then sends no notification, which saves both sides a system call.
     *
     * @param ops {@link #READ}, {@link #WRITE} or both
     * @return which of {@code ops} are ready now, 0 = none; -1 = no notification came
     */
    default int holdNotify(int ops) {
        return -1;
    }

    /**
     * Lets {@link #notifyFd} become unreadable and asks that it be readable again as soon as {@code
     * ready() & ops} may be non-zero because of what the peer did. An operation at this end ({@link
     * #shutdownInput}, ...) notifies nothing, and may end the request made here: ask again after
     * it.
     *
     * @param ops {@link #READ}, {@link #WRITE}, both, or 0: the notify descriptor is not watched
     *     any more
     * @return which of {@code ops} are ready now, and then nothing was asked for, with {@link
     *     #RUNG} if a notification came since one was, and the descriptor stays readable; 0 = none;
     *     -1 = the notify descriptor cannot be used now, {@link #arm} can; {@link #NO_DESCRIPTOR} =
     *     nor ever again, and it may be readable for no reason
     */
    default int requestNotify(int ops) {
        return ops == 0 ? 0 : -1;
    }

    /**
     * Has the session leave the connection below for a fresh one between the same two hosts,
     * without the peer's application noticing more than a pause: for example after an address has
     * moved to another port of this host. Returns at once; until the peer has followed, nothing is
     * ready that is not there already. A peer that does not follow in time, or cannot, breaks the
     * stream.
     *
     * @return false = nothing was asked for: the stream cannot do it, or not now, because one of
     *     its halves has ended, or because the last time is not over
     * @throws IOException if there is no place to move to; nothing was asked for
     */
    default boolean migrate() throws IOException {
        return false;
    }

    /**
     * Later reads give -1 and what still arrives is dropped; frees a waiting reader. Idempotent.
     */
    void shutdownInput();

    /**
     * Sends what was written, then tells the peer that no more comes. Idempotent, does not block.
     */
    void shutdownOutput();

    /**
     * Whether everything written, and the end of stream if {@link #shutdownOutput} was called, has
     * reached the peer, or never will because the connection is broken.
     */
    boolean drained();

    /**
     * Releases the stream. In order: what was written still arrives, the closing hand-shake goes on
     * in the background.
     *
     * @param abortive cut the connection instead, drop what is unsent; the peer sees a reset
     */
    void close(boolean abortive);

    /** This end, as TCP would show it. */
    InetSocketAddress localAddress();

    /** The other end, as TCP would show it. */
    InetSocketAddress remoteAddress();

    ConnectionInfo info();
}
