package io.sdp4j.stream;

import io.sdp4j.linux.EventLoop;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks from time to time, on the event thread, at every stream that may have something to give
 * back, so that a stream that has become quiet gives back the memory that load has made it take.
 *
 * <p>Shape: a stream is removed when it has given back all, or is released; the first use of memory
 * afterwards adds it again. There is no timer while there is no stream. If no stream was used since
 * the last look, but some wait for their peers or readers to let go, the time to the next look
 * doubles. Thread-safe.
 */
final class IdleTrimmer {
    private static final Logger LOG = LoggerFactory.getLogger(IdleTrimmer.class);

    /** The longest time between two looks, in periods. */
    private static final int MOST_PERIODS = 32;

    /** Upper limit of that time: less than a peer waits for a lent buffer. */
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final EventLoop loop;
    private final long periodNanos;
    private final long longestNanos;
    private final Set<StreamLife> streams = ConcurrentHashMap.newKeySet();
    private EventLoop.Timer next; // guarded by this; null = none
    private long delayNanos; // guarded by this; the delay of next, 0 = a look is running

    /**
     * @param periodNanos between two looks, at most 30 s; 0 = never looks
     */
    IdleTrimmer(EventLoop loop, long periodNanos) {
        this.loop = loop;
        this.periodNanos = periodNanos;
        this.longestNanos = Math.min(MOST_PERIODS * periodNanos, LONGEST_NANOS);
    }

    /**
     * Looks at {@code stream} until it is removed. Any thread, with the stream's lock or without.
     */
    void add(StreamLife stream) {
        if (periodNanos > 0 && streams.add(stream)) {
            synchronized (this) {
                if (next == null || delayNanos > periodNanos) {
                    lookIn(periodNanos);
                }
            }
        }
    }

    /**
     * Removes a stream that is released or has given back all; with the stream's lock, so that a
     * use that follows is not lost.
     */
    void remove(StreamLife stream) {
        assert Thread.holdsLock(stream.core);
        streams.remove(stream);
    }

    /** A failure of one stream, of any kind, ends that one only. */
    private static boolean look(StreamLife stream) {
        try {
            return stream.onLook();
        } catch (RuntimeException | Error e) {
            LOG.error("{} is cut by a fault of sdp4j; report this", stream.core.name, e);
            stream.cut();
        }
        return true;
    }

    private void look() {
        long waitedNanos = begin();
        boolean used = false;
        try {
            for (StreamLife stream : streams) {
                used |= look(stream);
            }
        } finally {
            goOn(used ? periodNanos : Math.min(2 * waitedNanos, longestNanos));
        }
    }

    private synchronized long begin() {
        long waitedNanos = delayNanos;
        delayNanos = 0;
        return waitedNanos;
    }

    private synchronized void goOn(long nanos) {
        if (streams.isEmpty()) {
            stop();
        } else {
            lookIn(nanos);
        }
    }

    private void lookIn(long nanos) {
        assert Thread.holdsLock(this);
        stop();
        delayNanos = nanos;
        next = loop.schedule(this::look, nanos);
    }

    private void stop() {
        assert Thread.holdsLock(this);
        if (next != null) {
            next.cancel();
            next = null;
        }
    }
}
