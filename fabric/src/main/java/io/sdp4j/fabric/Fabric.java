package io.sdp4j.fabric;

import java.net.InetSocketAddress;
import java.util.function.Supplier;

/**
 * A source of RC queue pairs. Thread-safe. One per process and kind.
 *
 * <p>Set-up never runs on the data path, so it may be slow. Nothing here blocks without a deadline.
 */
public interface Fabric extends AutoCloseable {
    /** The name that rule files use: {@code shm}, {@code verbs}, {@code iwarp}. */
    String name();

    Capabilities capabilities();

    /**
     * Waits until the fabric has prepared what the first connection of a process needs, if it does
     * so in advance, so that this time is not taken from the peer's. Any thread; not ended by an
     * interrupt.
     *
     * @param nanos longest wait; 0 or less only looks
     * @return whether the preparation is over
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
     * Chooses a port for a listener that accepts any port, for a fabric that cannot listen on every
     * port. Tries a few ports from {@code free} and returns the first that it can listen on; 0 if
     * any port would do or none was found.
     *
     * @param free returns the listener's address with a port that is free in the kernel, another
     *     one each time; null if there is none
     */
    default int choosePort(Supplier<InetSocketAddress> free) {
        return 0;
    }

    /**
     * Whether the end of this process cuts its connections: messages that have not {@link #arrived}
     * are lost, and a connection that was not disconnected looks to the peer as if this side had
     * been lost.
     */
    default boolean endsWithProcess() {
        return false;
    }

    /**
     * Whether everything that was posted has reached the peers' side or never will. Never blocks.
     */
    default boolean arrived() {
        return true;
    }

    /**
     * Closes every listener and aborts every queue pair. Does not wait for peers. A second call, on
     * any thread, does nothing.
     */
    @Override
    void close();

    /**
     * An established connection of the active side.
     *
     * @param queuePair owned by the caller from now on
     * @param privateData the passive side's answer, possibly padded with zeros
     */
    @SuppressWarnings("ArrayRecordComponent") // carried, never compared
    record Connection(QueuePair queuePair, byte[] privateData) {}
}
