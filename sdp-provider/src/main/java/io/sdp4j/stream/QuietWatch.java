package io.sdp4j.stream;

import io.sdp4j.rdma.EventLoop;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks at every busy stream from time to time, so that one that has become quiet gives back the
 * memory that load has made it take. Looks as long as there are such streams, on the event thread;
 * a stream that has given everything back comes again when a message goes either way. Thread-safe.
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

    /** Looks at it until it is released or needs no look any more. */
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
        for (StreamLife stream : List.copyOf(streams)) {
            streams.remove(stream); // first: one that becomes active meanwhile comes back by itself
            if (stream.onLook()) {
                streams.add(stream);
            }
        }
        synchronized (this) {
            looking = !streams.isEmpty();
            if (looking) {
                loop.schedule(this::look, periodNanos);
            }
        }
    }
}
