package io.sdp4j.stream;

import io.sdp4j.rdma.EventLoop;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at every stream from time to time, so that one that has become quiet gives back the memory
 * that load has made it take. Looks as long as there are streams, on the event thread. Thread-safe.
 */
final class QuietWatch {
    private static final Logger LOG = LoggerFactory.getLogger(QuietWatch.class);

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

    /** What is wrong with one stream ends that one only, whatever it is. */
    private static boolean look(StreamLife stream) {
        try {
            return stream.onLook();
        } catch (InternalError e) {
            stream.cut(); // its memory was taken away
        } catch (RuntimeException | Error e) {
            LOG.error("a stream is cut", e);
            stream.cut();
        }
        return true;
    }

    private void look() {
        try {
            streams.removeIf(stream -> !look(stream));
        } finally {
            goOn();
        }
    }

    private synchronized void goOn() {
        looking = !streams.isEmpty();
        if (looking) {
            loop.schedule(this::look, periodNanos);
        }
    }
}
