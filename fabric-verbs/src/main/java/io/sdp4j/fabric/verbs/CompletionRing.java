package io.sdp4j.fabric.verbs;

/**
 * Completions that were taken from the device and not yet seen by the user, oldest first. The ring
 * has room for all requests, so it never overflows. Guarded by its queue pair's monitor.
 */
final class CompletionRing {
    private final long[] wrIds;
    private final int[] statuses;
    private final int[] lengths;
    private int first;
    private int size;

    CompletionRing(int capacity) {
        wrIds = new long[capacity];
        statuses = new int[capacity];
        lengths = new int[capacity];
    }

    void add(long wrId, int status, int byteLen) {
        int at = (first + size) % wrIds.length;
        wrIds[at] = wrId;
        statuses[at] = status;
        lengths[at] = byteLen;
        size++;
        assert size <= wrIds.length : "more completions than requests";
    }

    boolean isEmpty() {
        return size == 0;
    }

    long wrId() {
        return wrIds[first];
    }

    /** Returns the status, a value of {@code enum ibv_wc_status}. */
    int status() {
        return statuses[first];
    }

    int byteLen() {
        return lengths[first];
    }

    void removeFirst() {
        first = (first + 1) % wrIds.length;
        size--;
    }
}
