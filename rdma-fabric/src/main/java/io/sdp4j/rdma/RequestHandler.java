package io.sdp4j.rdma;

/**
 * Decides about connection requests. Called on the fabric's event thread: must not block, must not
 * throw.
 */
@FunctionalInterface
public interface RequestHandler {
    /** {@code request} must be answered, now or soon, by {@code accept} or {@code reject}. */
    void onRequest(ConnectionRequest request);
}
