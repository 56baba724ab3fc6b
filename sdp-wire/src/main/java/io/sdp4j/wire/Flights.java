package io.sdp4j.wire;

import java.util.Arrays;

/**
 * RDMA operations of one kind under way, oldest first: a queue pair completes them in the order of
 * posting.
 *
 * <p>Shape: a ring of their byte counts, a power of two long, grown to the largest number ever
 * under way.
 */
final class Flights {
    private int[] ring = new int[4];
    private int head;
    private int size;
    private long completed;

    int size() {
        return size;
    }

    /** Operations completed since the start: progress. */
    long completed() {
        return completed;
    }

    void add(int lenBytes) {
        if (size == ring.length) {
            int[] larger = Arrays.copyOf(ring, 2 * size);
            for (int i = 0; i < size; i++) {
                larger[i] = ring[(head + i) & (size - 1)];
            }
            ring = larger;
            head = 0;
        }
        ring[(head + size++) & (ring.length - 1)] = lenBytes;
    }

    /** Takes the oldest off. */
    int complete() {
        assert size > 0 : "more completions than RDMA operations";
        int lenBytes = ring[head];
        head = (head + 1) & (ring.length - 1);
        size--;
        completed++;
        return lenBytes;
    }
}
