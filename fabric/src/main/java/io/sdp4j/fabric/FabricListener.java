package io.sdp4j.fabric;

/** A listener of one fabric. Thread-safe. */
public interface FabricListener extends AutoCloseable {
    /**
     * Stops listening and rejects the requests that were not answered. Idempotent; does not block.
     */
    @Override
    void close();
}
