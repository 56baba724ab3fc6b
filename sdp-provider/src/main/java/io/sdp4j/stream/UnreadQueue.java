package io.sdp4j.stream;

/**
 * Received messages that the application has not taken, oldest first.
 *
 * <p>Shape: a ring of longs, one for each message: receive slot (16 bits), payload offset (16),
 * whether its last byte is urgent (1), payload length (31). Never holds more than there are receive
 * slots. Guarded by the stream's lock.
 */
final class UnreadQueue {
    /** Result of {@link #take} when nothing is there. */
    static final long NONE = -1;

    private static final long URGENT = 1L << 31;

    private final long[] entries;
    private final int mask;
    private int head;
    private int tail;
    private long bytes;

    UnreadQueue(int receiveSlots) {
        int capacity = Integer.highestOneBit(Math.max(2, receiveSlots * 2 - 1));
        entries = new long[capacity];
        mask = capacity - 1;
    }

    void add(int slot, int offset, int lenBytes, boolean urgent) {
        assert tail - head < entries.length : "more messages than receive slots";
        long entry = (long) slot << 48 | (long) offset << 32 | lenBytes;
        entries[tail++ & mask] = urgent ? entry | URGENT : entry;
        bytes += lenBytes;
    }

    long take() {
        if (head == tail) {
            return NONE;
        }
        long entry = entries[head++ & mask];
        bytes -= lenBytes(entry);
        return entry;
    }

    boolean isEmpty() {
        return head == tail;
    }

    /** Payload bytes in the queue. */
    long bytes() {
        return bytes;
    }

    static int slot(long entry) {
        return (int) (entry >>> 48);
    }

    static int offset(long entry) {
        return (int) (entry >>> 32) & 0xFFFF;
    }

    /** Whether the last byte is an urgent one. */
    static boolean urgent(long entry) {
        return (entry & URGENT) != 0;
    }

    /** The urgent byte included. */
    static int lenBytes(long entry) {
        return (int) entry & Integer.MAX_VALUE;
    }
}
