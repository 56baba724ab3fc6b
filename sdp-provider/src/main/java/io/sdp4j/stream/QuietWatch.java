package io.sdp4j.stream;

import io.sdp4j.rdma.EventLoop;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks at every stream from time to time, so that one that has become quiet gives back the memory
 * that load has made it take. Looks as long as there are streams, on the event thread. Thread-safe.
 */
final class QuietWatch {
    private final EventLoop loop;
    private final long periodNanos;
    private final Set<StreamLife> streams = ConcurrentHashMap.newKeySet();
    private boolean looking; // this

    /**
     * @param periodNanos between two looks; 0 = never looks
     */
    QuietWatch(EventLoop loop, long periodNanos) {
        this.loop = loop;
        this.periodNanos = periodNanos;
    }

    /** Looks at it until it is released. */
    void add(StreamLife stream) {
        if (periodNanos > 0) {
            streams.add(stream);
            synchronized (this) {
                if (!looking) {
                    looking = true;
                    loop.schedule(this::look, periodNanos);
                }
            }
        }
    }

    private void look() {
        streams.removeIf(stream -> !stream.onLook());
        synchronized (this) {
            looking = !streams.isEmpty();
            if (looking) {
                loop.schedule(this::look, periodNanos);
            }
        }
    }
}
