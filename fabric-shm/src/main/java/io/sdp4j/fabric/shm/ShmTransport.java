package io.sdp4j.fabric.shm;

/**
 * A socket and memory that carry a connection, and may carry another one after it.
 *
 * <p>On each side a transport has one owner at a time: a hand-shake or a queue pair; between two
 * connections, the {@link ShmTransportPool} of the active side and a waiting {@link
 * ShmPassiveSide}. The passive side sends {@link #FREE} when it has let go of the memory. Only then
 * may the active side {@link #wipe} the memory and begin a new hand-shake on the socket; the active
 * side looks for {@link #FREE} only after it has let go of the memory itself.
 *
 * @param memory mapped on both sides
 * @param layout of {@code memory}; its bytes are booked with {@code fabric}
 */
record ShmTransport(ShmFabric fabric, PeerSocket link, Segment memory, ShmLayout layout) {
    /** The byte that the passive side sends. Wake-up bytes are 0. */
    static final byte FREE = 'F';

    /** Clears what the last connection left in the control lines and rings. */
    void wipe() {
        memory.memory().segment().asSlice(0, layout.wordsBytes()).fill((byte) 0);
    }

    /**
     * Releases everything. Nothing may touch the memory or the socket during this call or
     * afterwards.
     */
    void close() {
        try {
            link.close();
        } finally {
            memory.release();
            fabric.release(layout.bookedBytes());
        }
    }
}
