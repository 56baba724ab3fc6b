package io.sdp4j.offload.spi;

/** A provider's listener. Thread-safe. */
public interface OffloadListener extends AutoCloseable {
    /** Takes the oldest established stream that waits, or returns null. Never blocks. */
    OffloadStream poll();

    /** Whether {@link #poll} would find a stream. */
    boolean pending();

    /** Stops listening and aborts the streams that were not taken. Idempotent, does not block. */
    @Override
    void close();
}
