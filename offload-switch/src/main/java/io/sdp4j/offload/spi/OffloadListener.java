package io.sdp4j.offload.spi;

/** A provider's listener. Thread-safe. */
public interface OffloadListener extends AutoCloseable {
    /** The oldest established stream that was not taken yet, or null. Never blocks. */
    OffloadStream poll();

    /** Whether {@link #poll} would find a stream. */
    boolean pending();

    /** Stops listening and aborts what was not taken. Idempotent, does not block. */
    @Override
    void close();
}
