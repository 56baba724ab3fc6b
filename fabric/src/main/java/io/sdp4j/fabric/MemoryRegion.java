package io.sdp4j.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory. Until the region is closed, the peer may reach the memory within its bounds by
 * {@link #rkey()}.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The address to advertise; opaque to the peer. */
    long address();

    int rkey();

    /** The memory itself, while the region is open. */
    MemorySegment memory();

    /**
     * Opens the region again after {@link #close}, over the same memory with the same rights;
     * {@link #rkey} and {@link #address} may change. For memory that is used repeatedly: this is
     * faster than {@link QueuePair#register} and creates no object. The caller knows that it is
     * still the same memory because it can reach the buffer that was registered.
     *
     * @return false if the region has ended, as it may at any time while it is closed; the memory
     *     must then be registered again
     */
    default boolean reopen() {
        return false;
    }

    /**
     * Ends the registration; afterwards no access by the peer succeeds. One exception: if the peer
     * could only read, and the same memory was registered in the same way before, a fabric may keep
     * the registration for a short configured time so that it can be used again (see {@link
     * QueuePair#forgetKeys}). Idempotent until the region is opened again.
     */
    @Override
    void close();

    /**
     * As {@link #close}, but allowed while operations of this side on the region are under way.
     * They fail, which ends the queue pair, and nothing touches the memory once this method has
     * returned. The registration is never kept. Idempotent.
     */
    default void discard() {
        close();
    }
}
