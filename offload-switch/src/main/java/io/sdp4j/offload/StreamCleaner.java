package io.sdp4j.offload;

import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.Cleaner;

/**
 * The right to one stream: gives it back once, at the latest when the connection that held it has
 * become garbage. Must not refer to that connection.
 */
final class StreamCleaner implements Runnable {
    static final Cleaner CLEANER = Cleaner.create();

    private final OffloadStream stream;
    private final SwitchCounters counters;
    private Cleaner.Cleanable cleanable; // set once
    private volatile boolean abortive;
    private volatile boolean counted;
    private volatile boolean closed;

    private StreamCleaner(OffloadStream stream, SwitchCounters counters) {
        this.stream = stream;
        this.counters = counters;
    }

    /** Takes a stream for {@code holder}. */
    static StreamCleaner take(OffloadStream stream, SwitchCounters counters, Object holder) {
        StreamCleaner lease = new StreamCleaner(stream, counters);
        counters.took(stream);
        lease.cleanable = CLEANER.register(holder, lease);
        return lease;
    }

    /** Where it throws, it may be called again, and the cleaner still gives back. */
    void giveBack(boolean abort) {
        abortive = abort;
        run();
        cleanable.clean();
    }

    @Override
    public void run() {
        if (!counted) {
            counters.closing(stream);
            counted = true;
        }
        if (!closed) {
            stream.close(abortive);
            closed = true;
        }
    }
}
