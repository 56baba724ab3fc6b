package io.sdp4j.fabric.shm;

/**
 * Carries a connection, and may carry another one after it: the socket and the memory.
 *
 * <p>It belongs to one owner at a time: a hand-shake, a queue pair, or, between two connections,
 * the {@link ShmTransportPool} of the active side and a waiting {@link ShmPassiveSide}. The passive
 * side says {@link #FREE} when it has let go of the memory; only then may the active side, which
 * has done so before it looks for that word, {@link #wipe} it and begin a new hand-shake on the
 * socket.
 *
 * @param memory mapped on both sides
 * @param layout of {@code memory}; its bytes are booked with {@code fabric}
 */
record ShmTransport(ShmFabric fabric, PeerSocket link, Segment memory, ShmLayout layout) {
    /** The passive side's word; not a wake-up byte, which is 0. */
    static final byte FREE = 'F';

    /** Forgets what the last connection left in the control words and rings. */
    void wipe() {
        memory.memory().segment().asSlice(0, layout.wordsBytes()).fill((byte) 0);
    }

    /** Releases all. Nothing may touch the memory or the socket during it or afterwards. */
    void close() {
        link.close();
        memory.release();
        fabric.release(layout.bookedBytes());
    }
}
