package io.sdp4j.offload;

import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;

/**
 * The connections that one listener has accepted on kernel TCP and that may move, by their
 * addresses. Refers to them weakly, so that the application can drop them. Thread-safe.
 *
 * <p>A new connection may have the addresses of one whose move is under way; it can move only when
 * that move is over.
 */
public final class AcceptedTable implements AcceptedConnections {
    private record Ends(InetSocketAddress local, InetSocketAddress remote) {}

    private static final class Entry extends WeakReference<Upgrade> {
        private final Ends ends;

        Entry(Ends ends, Upgrade connection, ReferenceQueue<Upgrade> dead) {
            super(connection, dead);
            this.ends = ends;
        }
    }

    private final ConcurrentHashMap<Ends, Entry> entries = new ConcurrentHashMap<>();

    /** Connections for which a provider is making a stream. */
    private final ConcurrentHashMap<Ends, Entry> moving = new ConcurrentHashMap<>();

    private final ReferenceQueue<Upgrade> dead = new ReferenceQueue<>();

    AcceptedTable() {}

    /** Holds a connection until {@link #remove}. */
    void add(Upgrade connection) {
        for (Reference<?> r = dead.poll(); r != null; r = dead.poll()) {
            Entry gone = (Entry) r;
            entries.remove(gone.ends, gone);
        }
        Ends ends = new Ends(connection.local(), connection.remote());
        entries.put(ends, new Entry(ends, connection, dead));
    }

    void remove(Upgrade connection) {
        entries.computeIfPresent(
                new Ends(connection.local(), connection.remote()),
                (_, entry) -> entry.refersTo(connection) ? null : entry);
    }

    @Override
    public void with(InetSocketAddress local, InetSocketAddress remote, IntConsumer use) {
        Upgrade connection = connection(entries.get(new Ends(local, remote)));
        if (connection != null) {
            connection.withDescriptor(use);
        }
    }

    private static Upgrade connection(Entry entry) {
        return entry == null ? null : entry.get();
    }

    @Override
    public boolean begin(InetSocketAddress local, InetSocketAddress remote) {
        Ends ends = new Ends(local, remote);
        Entry entry = entries.get(ends);
        Upgrade connection = connection(entry);
        if (connection == null || moving.putIfAbsent(ends, entry) != null) {
            return false;
        }
        boolean begun = connection.begin();
        if (!begun) {
            moving.remove(ends);
        }
        return begun;
    }

    private Upgrade end(InetSocketAddress local, InetSocketAddress remote) {
        return connection(moving.remove(new Ends(local, remote)));
    }

    @Override
    public void moved(OffloadStream stream) {
        Upgrade connection = end(stream.localAddress(), stream.remoteAddress());
        if (connection != null) {
            connection.attach(stream);
        } else {
            Upgrade.closeUnused(stream, false); // the connection is garbage
        }
    }

    @Override
    public void failed(InetSocketAddress local, InetSocketAddress remote) {
        Upgrade connection = end(local, remote);
        if (connection != null) {
            connection.fail();
        }
    }

    @Override
    public void broken(InetSocketAddress local, InetSocketAddress remote) {
        Upgrade connection = end(local, remote);
        if (connection != null) {
            connection.breakOff();
        }
    }
}
