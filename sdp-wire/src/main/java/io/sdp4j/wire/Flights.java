package io.sdp4j.wire;

/**
 * RDMA operations of one kind under way, oldest first: a queue pair completes them in the order of
 * posting.
 */
final class Flights {
    private final Regions flying = new Regions();
    private long completed;

    int size() {
        return flying.size();
    }

    /** Operations completed since the start: progress. */
    long completed() {
        return completed;
    }

    void add(int lenBytes) {
        flying.add(0, lenBytes, 0, 0);
    }

    /** Removes the oldest operation and returns its bytes. */
    int complete() {
        assert size() > 0 : "more completions than RDMA operations";
        int lenBytes = (int) flying.first().lenBytes;
        flying.removeFirst();
        completed++;
        return lenBytes;
    }
}
