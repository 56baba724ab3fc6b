package io.sdp4j.fabric;

import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A source of RC queue pairs. Thread-safe. One per process and kind.
 *
 * <p>Set-up may be slow and clear; it never runs on the data path. Nothing here blocks without a
 * deadline.
 */
public interface Fabric extends AutoCloseable {
    /** The name that rule files use: {@code shm}, {@code verbs}, {@code iwarp}. */
    String name();

    Capabilities capabilities();

    /**
     * Waits until the fabric has prepared what the first connection of a process needs, where it
     * does that by itself: that time is not the peer's. Any thread; not ended by an interrupt.
     *
     * @param nanos at most; 0 or less only looks
     * @return whether it has
     */
    default boolean awaitReady(long nanos) {
        return true;
    }

    /**
     * Connects, as {@code rdma_connect} and its events do. Blocks the calling platform thread at
     * most until the deadline of the request, or until the request is abandoned; must not be called
     * on a virtual thread.
     *
     * @throws FabricException if there is no connection; nothing is left behind then. {@link
     *     FabricException.Cause#ABANDONED} if it was not wanted any more
     */
    Connection connect(ConnectRequest request) throws FabricException;

    /**
     * Listens beside the kernel's listener, which the caller has bound already and which owns the
     * port. Returns at once.
     *
     * @throws FabricException if the fabric cannot listen there
     */
    FabricListener listen(ListenRequest request) throws FabricException;

    /**
     * A port for a listener that any port will do for, where some ports cannot be listened on: the
     * first that can of those that {@code free} draws, a few at most. 0 if the fabric does not mind
     * which, or finds none.
     *
     * @param free gives where the listener would be, with a port that the kernel has free there,
     *     another each time; null if there is none
     */
    default int choosePort(Supplier<InetSocketAddress> free) {
        return 0;
    }

    /**
     * Whether the end of this process cuts its connections: messages that have not {@link #arrived}
     * are lost, and an end that was not said looks to the peer like a loss.
     */
    default boolean endsWithProcess() {
        return false;
    }

    /**
     * Whether the peers' side has all that was posted, or will not have it any more. Never blocks.
     */
    default boolean arrived() {
        return true;
    }

    /** Closes every listener and aborts every queue pair. Does not wait for peers. */
    @Override
    void close();

    /**
     * An established connection of the active side.
     *
     * @param queuePair owned by the caller from now on
     * @param privateData what the passive side answered, possibly padded with zeros
     */
    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    record Connection(QueuePair queuePair, byte[] privateData) {}
}
