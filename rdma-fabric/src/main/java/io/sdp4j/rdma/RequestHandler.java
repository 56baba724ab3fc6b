package io.sdp4j.rdma;

import java.net.InetSocketAddress;

/**
 * Decides about connection requests. Called on the fabric's event thread: must not block, must not
 * throw.
 */
@FunctionalInterface
public interface RequestHandler {
    /** {@code request} must be answered, now or soon, by {@code accept} or {@code reject}. */
    void onRequest(ConnectionRequest request);

    /**
     * A peer was refused before it could ask, because it is not what it says.
     *
     * @param peer the address that it gives
     * @param why for people
     */
    default void onRefused(InetSocketAddress peer, String why) {}
}
