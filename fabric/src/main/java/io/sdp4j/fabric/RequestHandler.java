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
     * A peer was refused before it could ask.
     *
     * @param peer as the kernel names it, for people
     * @param why likewise
     */
    default void onRefused(String peer, String why) {}

    /**
     * A peer was sent away because this process lacks what one more connection needs.
     *
     * @param why for people
     */
    default void onShort(String why) {}
}
