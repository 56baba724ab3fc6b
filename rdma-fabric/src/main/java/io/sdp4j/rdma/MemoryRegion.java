package io.sdp4j.rdma;

/**
 * Registered memory: the peer may reach it by {@link #rkey()} within its bounds until it is closed.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The address to advertise; opaque to the peer. */
    long address();

    long lenBytes();

    int rkey();

    /**
     * Ends the registration; afterwards no access by the peer succeeds. Only where the peer had the
     * right to read and no other, and the same memory was registered so before, a fabric may keep
     * the registration for a short time, which is configured, in case that happens again: see
     * {@link QueuePair#forgetKeys}. Idempotent.
     */
    @Override
    void close();
}
