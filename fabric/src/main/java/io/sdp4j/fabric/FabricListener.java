package io.sdp4j.fabric;

/** A listener of one fabric. Thread-safe. */
public interface FabricListener extends AutoCloseable {
    /**
     * Stops listening; requests under way that were not answered are rejected. Idempotent, does not
     * block.
     */
    @Override
    void close();
}
