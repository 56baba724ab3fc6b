package io.sdp4j.offload;

import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.Cleaner;

/**
 * The right to one stream: gives it back once, at the latest when the connection that held it has
 * become garbage. Must not refer to that connection.
 */
final class StreamCleaner implements Runnable {
    private static final Cleaner CLEANER = Cleaner.create();

    private final OffloadStream stream;
    private final SwitchCounters counters;
    private volatile boolean abortive;

    private StreamCleaner(OffloadStream stream, SwitchCounters counters) {
        this.stream = stream;
        this.counters = counters;
    }

    /** Takes a stream for {@code holder}; the result's {@code clean} gives it back. */
    static Handle take(OffloadStream stream, SwitchCounters counters, Object holder) {
        StreamCleaner lease = new StreamCleaner(stream, counters);
        return new Handle(lease, CLEANER.register(holder, lease));
    }

    record Handle(StreamCleaner lease, Cleaner.Cleanable cleanable) {
        void giveBack(boolean abortive) {
            lease.abortive = abortive;
            cleanable.clean();
        }
    }

    @Override
    public void run() {
        counters.closing(stream);
        stream.close(abortive);
    }
}
