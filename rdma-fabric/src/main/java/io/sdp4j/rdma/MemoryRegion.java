package io.sdp4j.rdma;

/**
 * Registered memory: the peer may reach it by {@link #rkey()} within its bounds until it is closed.
 */
public interface MemoryRegion extends AutoCloseable {
    /** The address to advertise; opaque to the peer. */
    long address();

    long lenBytes();

    int rkey();

    /** Ends the registration; afterwards no access by the peer succeeds. Idempotent. */
    @Override
    void close();
}
