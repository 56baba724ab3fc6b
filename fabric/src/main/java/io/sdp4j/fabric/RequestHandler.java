package io.sdp4j.fabric;

/**
 * Decides about connection requests. Called on the fabric's event thread: must not block, must not
 * throw.
 */
@FunctionalInterface
public interface RequestHandler {
    /** {@code request} must be answered, now or soon, by {@code accept} or {@code reject}. */
    void onRequest(ConnectionRequest request);

    /**
     * Called when a peer was refused before it could ask.
     *
     * @param peer the peer as the kernel names it, for people
     * @param why the reason, for people
     */
    default void onRefused(String peer, String why) {}

    /**
     * Called when a peer was turned away because this process lacks the resources for one more
     * connection.
     *
     * @param why the shortage, for people
     */
    default void onShort(String why) {}
}
