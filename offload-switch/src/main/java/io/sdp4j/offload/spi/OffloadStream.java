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
 * and write locks). Any thread may call the other methods at any time before {@link #close}. {@code
 * close} is called once, when no other call runs, and no call follows it.
 *
 * <p>Errors: the try-operations report failures of the peer or the fabric with the exception class
 * and text of the JDK's own sockets ({@code SocketException("Connection reset")}, {@code
 * SocketException("Broken pipe")}, ...). Data that arrived before a reset is delivered first.
 */
public interface OffloadStream {
    int READ = 1;
    int WRITE = 2;

    /** Most bytes that {@link #tryBegin} takes. */
    int MOST_BEGIN_BYTES = 8;

    /**
     * Flag in an answer of {@link #requestNotify}, beside the ready operations: a notification
     * came, and the notify descriptor stays readable.
     */
    int RUNG = 4;

    /** Answer of {@link #requestNotify}: the notify descriptor is meaningless from now on. */
    int NO_DESCRIPTOR = -2;

    /**
     * Reads the bytes that are there.
     *
     * @return number of bytes; 0 = nothing now (or {@code len} is 0), -1 = end of stream
     */
    int tryRead(byte[] b, int off, int len) throws IOException;

    /**
     * As {@link #tryRead(byte[], int, int)}, into {@code dst}'s remaining bytes; advances its
     * position.
     */
    int tryRead(ByteBuffer dst) throws IOException;

    /**
     * Writes as many bytes as the stream takes now, possibly 0, and returns their number. The
     * stream sends the bytes that it took without further calls.
     */
    int tryWrite(byte[] b, int off, int len) throws IOException;

    /**
     * As {@link #tryWrite(byte[], int, int)}, from {@code src}'s remaining bytes; advances its
     * position.
     */
    int tryWrite(ByteBuffer src) throws IOException;

    /**
     * Writes from the remaining bytes of several buffers, in order, as one call: the bytes may
     * travel together. The next call reports a failure that comes after some bytes. Bytes beyond
     * what an {@code int} counts are left to further calls.
     *
     * @param from index of the first buffer
     * @param to index after the last buffer
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
     * Writes all of a short payload, at most {@link #MOST_BEGIN_BYTES}, before anything else. The
     * peer's switch reads these bytes, not its application, so a peer that ends before it has read
     * them has lost nothing.
     *
     * @return whether it was written; false = nothing was
     */
    default boolean tryBegin(byte[] b) {
        return false;
    }

    /** Sends one urgent byte if there is room; false = not now. */
    boolean tryWriteUrgent(int value) throws IOException;

    /**
     * Sets whether a received urgent byte stays in the stream or is dropped. Default false:
     * dropped.
     */
    void oobInline(boolean inline);

    /**
     * Sets whether the application still has to read bytes that came before this stream, by other
     * means. While it has, the reader does not stand at the stream's first byte, and an urgent byte
     * there stays in the stream when the next urgent byte comes. This applies to everything that
     * has come by the time this is set to false. Default false.
     */
    default void readerBehind(boolean behind) {}

    /**
     * Whether the peer's process has ended without closing the stream. Readers see an orderly end
     * then, or a reset if the peer left input unread. Default false.
     */
    default boolean peerVanished() {
        return false;
    }

    /**
     * Sets whether the stream finds out that its peer is gone while neither end sends
     * (SO_KEEPALIVE). A stream whose peer cannot vanish unnoticed has nothing to do. Default false.
     */
    default void keepAlive(boolean on) {}

    /** Makes progress, then returns the number of bytes that {@link #tryRead} would give. */
    int available() throws IOException;

    /**
     * Which operations, {@link #READ} and {@link #WRITE}, would not return 0 now; an end of stream
     * and an error count as ready.
     */
    int ready();

    /**
     * About how many bytes the next {@code tryWrite} would take, for a caller that has to fetch
     * them first; 0 if {@link #WRITE} is not ready, and more than 0 if it is.
     */
    default int room() {
        return (ready() & WRITE) == 0 ? 0 : Integer.MAX_VALUE;
    }

    /**
     * Waits until {@code ready() & ops} may be non-zero, {@link #wake} is called or the time is
     * over. Parks a virtual thread, whose interrupt ends the wait at once; a platform thread's
     * interrupt does not. May return early for no reason.
     *
     * @param ops {@link #READ} or {@link #WRITE}; at most one thread waits for each at a time
     * @param nanos upper bound; {@link Long#MAX_VALUE} = none
     */
    void await(int ops, long nanos);

    /**
     * Makes every {@link #await} that runs now return, and for a direction in which none runs the
     * next {@code await}. So a waiter never misses state that was set before the wake-up.
     */
    void wake();

    /**
     * Asks for one call of {@code onReady} as soon as {@code ready() & ops} may be non-zero, {@link
     * #wake} or {@link #close} is called. The call comes from a thread of the provider, must not
     * block, and may come for no reason. At most one call is outstanding for each of {@link #READ}
     * and {@link #WRITE}: a new request replaces the old one.
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
     * Whether to {@link #lend} these buffers before the first try of the operation, because bytes
     * that this try copies cannot be lent any more. Asked for operations that may wait.
     *
     * @param op {@link #READ} or {@link #WRITE}
     * @param loan asked during this call only
     */
    default boolean wantsLoan(int op, Loan loan) {
        return false;
    }

    /**
     * Lends the buffers of a waiting operation to the stream until {@link #reclaim}: the stream may
     * move payload straight from or to their remaining bytes, without a copy. The try-operations
     * that follow in this direction get the same buffers in the same order and account for the
     * bytes that have moved already. A stream that copies has nothing to do.
     *
     * @param op {@link #READ} or {@link #WRITE}; one loan for each at a time
     * @param loan asked during this call only
     */
    default void lend(int op, Loan loan) {}

    /**
     * Ends a loan: the operation is complete, or was given up. After an operation that was given
     * up, the application has to leave the buffers alone as long as the channel is open, so the
     * stream may take its time. After a complete one nothing may touch the buffers once this has
     * returned.
     *
     * @param givenUp whether the operation timed out or was cancelled; false for a stream that is
     *     about to be closed
     */
    default void reclaim(int op, boolean givenUp) {}

    /**
     * The descriptor that a selector can watch, see {@link #requestNotify}. It belongs to the
     * provider, and is the same until {@link #close}; the caller must not read from it. -1 if there
     * is none, or none any more: a descriptor that was returned before stays the stream's.
     */
    default int notifyFd() {
        return -1;
    }

    /**
     * Polls for a moment until {@code ready() & ops} becomes non-zero, if that is likely. Called
     * before {@link #requestNotify} by a thread that is about to wait for the notify descriptor.
     * Returns at once if nothing was read or written since the last call. For one thread at a time.
     *
     * @param elsewhere asked every few microseconds whether the thread is wanted elsewhere, which
     *     ends it
     */
    default void busyPoll(int ops, BooleanSupplier elsewhere) {}

    /** Polls many streams for one thread, as long as polling has paid off lately. */
    interface BusyLook {
        /**
         * Polls for a moment, or not at all.
         *
         * @param streams the number of streams; to wait for many costs more, so longer polling is
         *     worth it
         * @param something tells whether what the thread waits for is there
         * @param elsewhere asked every few microseconds whether the thread is wanted elsewhere,
         *     which ends it
         * @return whether {@code something} became true
         */
        boolean look(int streams, BooleanSupplier something, BooleanSupplier elsewhere);
    }

    /**
     * Returns an object that polls as {@link #busyPoll} does, for a thread that waits for many
     * streams at once, of which this is one. The object has a history of its own. Null = polling
     * would never pay off.
     */
    default BusyLook busyLook() {
        return null;
    }

    /**
     * Leaves the notify descriptor readable if a notification came since one was asked for. Called
     * instead of {@link #requestNotify} by a caller that comes back very soon, because the
     * descriptor is readable. The peer then sends no notification, which saves both sides a system
     * call.
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
     * #shutdownInput}, ...) sends no notification, and may end the request: ask again after it.
     *
     * @param ops {@link #READ}, {@link #WRITE} or both; 0 = the notify descriptor is not watched
     *     any more
     * @return which of {@code ops} are ready now; then no notification was asked for, and {@link
     *     #RUNG} is set if one came since the last request, which leaves the descriptor readable. 0
     *     = none is ready. -1 = the notify descriptor cannot be used now, {@link #arm} can. {@link
     *     #NO_DESCRIPTOR} = it can never be used again, and may be readable for no reason
     */
    default int requestNotify(int ops) {
        return ops == 0 ? 0 : -1;
    }

    /**
     * Moves the session to a new connection between the same two hosts, for example after an
     * address has moved to another port of this host. The peer's application notices a pause at
     * most. Returns at once; until the peer has followed, nothing becomes ready. A peer that does
     * not follow in time, or cannot, breaks the stream.
     *
     * @return false = nothing was begun: the stream cannot migrate, or not now, because one of its
     *     halves has ended or the last migration is not over
     * @throws IOException if there is no place to move to; nothing was begun
     */
    default boolean migrate() throws IOException {
        return false;
    }

    /**
     * Makes later reads return -1, drops bytes that still arrive, and wakes a waiting reader.
     * Idempotent.
     */
    void shutdownInput();

    /**
     * Sends the bytes that were written, then the end of the stream. Idempotent, does not block.
     */
    void shutdownOutput();

    /**
     * Whether everything written, and the end of stream if {@link #shutdownOutput} was called, has
     * reached the peer, or never will because the connection is broken.
     */
    boolean drained();

    /**
     * Releases the stream. After an orderly close, bytes that were written still arrive, and the
     * closing hand-shake goes on in the background.
     *
     * @param abortive whether to cut the connection instead and drop unsent bytes; the peer sees a
     *     reset
     */
    void close(boolean abortive);

    /** This end, as TCP would show it. */
    InetSocketAddress localAddress();

    /** The other end, as TCP would show it. */
    InetSocketAddress remoteAddress();

    ConnectionInfo info();
}
