package io.sdp4j.offload;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Destinations that did not answer an offload attempt lately, so that the next connection does not
 * wait for them again.
 *
 * <p>Shape: insertion-ordered map from address to the time at which it is forgotten; bounded, the
 * oldest goes first. Thread-safe; a look-up while the cache is empty takes no lock.
 */
final class MissCache {
    private final long ttlNanos;
    private final LongSupplier nanoClock;
    private final Map<InetSocketAddress, Long> forgetAt; // this
    private volatile boolean empty = true;

    MissCache(long ttlNanos, int capacity, LongSupplier nanoClock) {
        this.ttlNanos = ttlNanos;
        this.nanoClock = nanoClock;
        this.forgetAt = new Bounded(capacity);
    }

    private static final class Bounded extends LinkedHashMap<InetSocketAddress, Long> {
        private static final long serialVersionUID = 1L;
        private final int capacity;

        Bounded(int capacity) {
            this.capacity = capacity;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Long> eldest) {
            return size() > capacity;
        }
    }

    void remember(InetSocketAddress destination) {
        if (ttlNanos == 0) {
            return;
        }
        synchronized (this) {
            forgetAt.remove(destination);
            forgetAt.put(destination, nanoClock.getAsLong() + ttlNanos);
            empty = false;
        }
    }

    boolean contains(InetSocketAddress destination) {
        if (empty) {
            return false;
        }
        synchronized (this) {
            Long until = forgetAt.get(destination);
            if (until == null) {
                return false;
            }
            if (until - nanoClock.getAsLong() > 0) {
                return true;
            }
            forgetAt.remove(destination);
            empty = forgetAt.isEmpty();
            return false;
        }
    }

    /** A destination that answered after all. */
    void forget(InetSocketAddress destination) {
        if (!empty) {
            synchronized (this) {
                forgetAt.remove(destination);
                empty = forgetAt.isEmpty();
            }
        }
    }

    synchronized int size() {
        return forgetAt.size();
    }
}
