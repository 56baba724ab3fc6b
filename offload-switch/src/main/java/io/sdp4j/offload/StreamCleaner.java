package io.sdp4j.offload;

import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.Cleaner;

/**
 * Owns one stream for a connection and closes it once, at the latest when the connection has become
 * garbage. Must not refer to that connection.
 */
final class StreamCleaner implements Runnable {
    private static Cleaner cleaner;

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

    /**
     * Has {@code action} run when {@code holder} has become garbage, unless that is cleaned before.
     * The cleaner is not made by the class's initialisation: where there is no thread for it now,
     * the class would be lost to the JVM. Then nothing is done for this {@code holder}.
     */
    static synchronized Cleaner.Cleanable register(Object holder, Runnable action) {
        if (cleaner == null) {
            try {
                cleaner = Cleaner.create();
            } catch (OutOfMemoryError e) {
                return () -> {}; // what it holds is given back when it is closed
            }
        }
        return cleaner.register(holder, action);
    }

    /** Takes a stream for {@code holder}. */
    static StreamCleaner take(OffloadStream stream, SwitchCounters counters, Object holder) {
        StreamCleaner lease = new StreamCleaner(stream, counters);
        lease.cleanable = register(holder, lease);
        counters.took(stream);
        return lease;
    }

    /**
     * Closes the stream. If this throws, it may be called again, and the cleaner still closes the
     * stream.
     */
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
