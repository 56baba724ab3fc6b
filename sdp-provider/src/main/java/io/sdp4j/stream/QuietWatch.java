package io.sdp4j.stream;

import io.sdp4j.rdma.EventLoop;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at every stream from time to time, so that one that has become quiet gives back the memory
 * that load has made it take. Looks as long as there are streams, on the event thread; where no
 * stream has anything to give back, more and more rarely. Thread-safe.
 */
final class QuietWatch {
    private static final Logger LOG = LoggerFactory.getLogger(QuietWatch.class);

    /** What a look at one stream has found. */
    enum Found {
        /** It was released. */
        GONE,
        /** It has nothing to give back. */
        RESTED,
        /** It was used since the last look, or has more to give back. */
        BUSY
    }

    /** The longest time between two looks, in periods. */
    private static final int MOST_PERIODS = 32;

    private final EventLoop loop;
    private final long periodNanos;
    private final Set<StreamLife> streams = ConcurrentHashMap.newKeySet();
    private boolean looking; // this
    private long delayNanos; // this: until the next look

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
                    delayNanos = periodNanos;
                    loop.schedule(this::look, periodNanos);
                }
            }
        }
    }

    /** What is wrong with one stream ends that one only, whatever it is. */
    private static Found look(StreamLife stream) {
        try {
            return stream.onLook();
        } catch (InternalError e) {
            stream.cut(); // its memory was taken away
        } catch (RuntimeException | Error e) {
            LOG.error("a stream is cut", e);
            stream.cut();
        }
        return Found.BUSY;
    }

    private void look() {
        boolean busy = false;
        try {
            for (Iterator<StreamLife> all = streams.iterator(); all.hasNext(); ) {
                Found found = look(all.next());
                busy |= found == Found.BUSY;
                if (found == Found.GONE) {
                    all.remove();
                }
            }
        } finally {
            goOn(busy);
        }
    }

    private synchronized void goOn(boolean busy) {
        looking = !streams.isEmpty();
        if (looking) {
            delayNanos = busy ? periodNanos : Math.min(2 * delayNanos, MOST_PERIODS * periodNanos);
            loop.schedule(this::look, delayNanos);
        }
    }
}
