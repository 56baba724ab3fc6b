package io.sdp4j.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Registered memory: the peer may reach it by {@link #rkey()} within its bounds until it is closed.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The address to advertise; opaque to the peer. */
    long address();

    long lenBytes();

    int rkey();

    /** The bytes themselves, while it is open. */
    MemorySegment memory();

    /**
     * Opens it again after {@link #close}, over the same memory with the same rights, and maybe
     * another {@link #rkey} and {@link #address}: for memory that is used again and again, in less
     * time and without an object. The caller knows that it is still the same memory, as it can
     * reach the buffer that it was registered from.
     *
     * @return false if it has ended, as it may at any time while it is closed; it is then to be
     *     registered anew
     */
    default boolean reopen() {
        return false;
    }

    /**
     * Ends the registration; afterwards no access by the peer succeeds. Only where the peer had the
     * right to read and no other, and the same memory was registered so before, a fabric may keep
     * the registration for a short time, which is configured, in case that happens again: see
     * {@link QueuePair#forgetKeys}. Idempotent, until it is opened again.
     */
    @Override
    void close();

    /**
     * As {@link #close}, although operations of this side on it may be under way: they fail, which
     * ends the queue pair, and nothing touches the memory once this has returned. Nothing of the
     * registration is kept. Idempotent.
     */
    default void discard() {
        close();
    }
}
