package io.sdp4j.fabric;

import java.net.InetSocketAddress;

/**
 * A connection that a peer asked for. Exactly one of {@link #accept} and {@link #reject} is called,
 * once.
 */
public interface ConnectionRequest {
    /** The address that the peer connected to; never a wildcard. */
    InetSocketAddress localAddress();

    /** The peer's own address, as TCP would show it. */
    InetSocketAddress remoteAddress();

    /** The peer as the kernel or the network names it, not as the peer names itself; for people. */
    default String peer() {
        return remoteAddress().getAddress().getHostAddress();
    }

    /**
     * Whether the TCP connection between the two addresses is to move onto the queue pair; both
     * sides have then proved that they hold its ends. Otherwise this is a connection of its own.
     */
    default boolean moves() {
        return false;
    }

    /** Private data of the peer, possibly padded with zeros. Hostile until checked. */
    byte[] privateData();

    /**
     * Answers yes. Returns at once; {@code outcome} is told later on the event thread.
     *
     * @param spec this side's queue pair, all receives posted before the answer leaves
     * @param privateData carried to the active side; at most {@link
     *     Capabilities#maxRequestPrivateDataBytes()}
     */
    void accept(QpSpec spec, byte[] privateData, Outcome outcome);

    /** Answers no. */
    void reject(byte[] privateData);

    /** How an accepted request ended. Called once, on the event thread: must not block. */
    interface Outcome {
        /** The queue pair is connected and owned by the receiver of this call. */
        void onEstablished(QueuePair queuePair);

        /** There is no connection, and nothing is left of it. */
        void onFailed(FabricException failure);

        /**
         * As {@link #onFailed}, but the peer may have the connection and use it. Memory may be
         * short.
         */
        default void onLost(Throwable why) {
            onFailed(
                    new FabricException(
                            FabricException.Cause.RESOURCES,
                            "its connection is lost: " + why,
                            why));
        }
    }
}
