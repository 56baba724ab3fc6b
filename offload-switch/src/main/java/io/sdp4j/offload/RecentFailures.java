package io.sdp4j.offload;

import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Remembers how the last offload attempt to a destination failed, so that the next connection does
 * not wait for the same failure.
 *
 * <p>One failure is not always enough to stop asking. A refusal may come from a server that is just
 * starting, so it counts once the kernel has connected to that destination; else all clients that
 * try until a server is there would end up on TCP. Silence may come from a busy machine, so it
 * counts the second time. A server to which a TCP connection exists may be about to listen for
 * offload, so its refusal counts when it is repeated some seconds later.
 *
 * <p>Shape: insertion-ordered map from address to the failure and the time at which it is
 * forgotten; bounded, the oldest goes first. Thread-safe; a look-up while the map is empty takes no
 * lock.
 */
final class RecentFailures {
    private enum Kind {
        REFUSED,
        SILENT,
        /** Refused an existing connection, which asks again. */
        NO_LISTENER,
        /** Enough to leave the next connections on TCP. */
        FINAL
    }

    private record Failure(Kind kind, long forgetAtNanos) {}

    /** Time after a first refusal by which a server that is going to listen for offload does so. */
    private static final long SURELY_LISTENS_NANOS = TimeUnit.SECONDS.toNanos(6);

    private final long ttlNanos; // how long a failure is remembered; 0 = not at all
    private final LongSupplier nanoClock;
    private final Map<InetSocketAddress, Failure> last; // this
    private volatile boolean empty = true;

    RecentFailures(long ttlNanos, int capacity, LongSupplier nanoClock) {
        this.ttlNanos = ttlNanos;
        this.nanoClock = nanoClock;
        this.last = new Bounded(capacity);
    }

    private static final class Bounded extends LinkedHashMap<InetSocketAddress, Failure> {
        private static final long serialVersionUID = 1L;
        private final int capacity;

        Bounded(int capacity) {
            this.capacity = capacity;
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<InetSocketAddress, Failure> eldest) {
            return size() > capacity;
        }
    }

    /** Whether connections to {@code destination} stay on TCP for now. */
    boolean contains(InetSocketAddress destination) {
        if (empty) {
            return false;
        }
        synchronized (this) {
            return kind(destination) == Kind.FINAL;
        }
    }

    /** The destination answered that it has no offload listener. */
    synchronized void refused(InetSocketAddress destination) {
        if (kind(destination) != Kind.FINAL) {
            put(destination, Kind.REFUSED);
        }
    }

    /** The destination did not answer in time. */
    synchronized void silent(InetSocketAddress destination) {
        Kind before = kind(destination);
        boolean again = before == Kind.SILENT || before == Kind.FINAL;
        put(destination, again ? Kind.FINAL : Kind.SILENT);
    }

    /**
     * An attempt for an existing kernel connection failed.
     *
     * @param noListener whether the destination answered that it has no offload listener
     */
    synchronized void notMoved(InetSocketAddress destination, boolean noListener) {
        if (!noListener || kind(destination) == Kind.FINAL) {
            put(destination, Kind.FINAL);
            return;
        }
        Failure first = last.get(destination);
        if (first == null || first.kind != Kind.NO_LISTENER) {
            put(destination, Kind.NO_LISTENER);
        } else if (nanoClock.getAsLong() - (first.forgetAtNanos - ttlNanos)
                >= SURELY_LISTENS_NANOS) {
            put(destination, Kind.FINAL);
        }
    }

    /** The kernel has connected to a destination without an offload listener. */
    void kernelConnected(InetSocketAddress destination) {
        if (empty) {
            return;
        }
        synchronized (this) {
            if (kind(destination) == Kind.REFUSED) {
                put(destination, Kind.FINAL);
            }
        }
    }

    /** An attempt succeeded. */
    void forget(InetSocketAddress destination) {
        if (empty) {
            return;
        }
        synchronized (this) {
            remove(destination);
        }
    }

    private void put(InetSocketAddress destination, Kind kind) {
        assert Thread.holdsLock(this);
        if (ttlNanos == 0) {
            return;
        }
        last.remove(destination); // the youngest goes to the end
        last.put(destination, new Failure(kind, nanoClock.getAsLong() + ttlNanos));
        empty = false;
    }

    private Kind kind(InetSocketAddress destination) {
        assert Thread.holdsLock(this);
        Failure failure = last.get(destination);
        if (failure == null) {
            return null;
        }
        if (failure.forgetAtNanos - nanoClock.getAsLong() > 0) {
            return failure.kind;
        }
        remove(destination);
        return null;
    }

    private void remove(InetSocketAddress destination) {
        assert Thread.holdsLock(this);
        last.remove(destination);
        empty = last.isEmpty();
    }
}
