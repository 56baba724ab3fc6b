package io.sdp4j.offload;

import io.sdp4j.offload.spi.AcceptedConnections;
import io.sdp4j.offload.spi.OffloadStream;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
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

    /** Connections for which a provider is making a stream; few. Guarded by itself. */
    private final List<Entry> moving = new ArrayList<>();

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
        Entry entry = entries.get(new Ends(local, remote));
        Upgrade connection = connection(entry);
        if (connection == null) {
            return false;
        }
        synchronized (moving) {
            if (find(local, remote) >= 0) {
                return false;
            }
            moving.add(entry); // first: there may be no memory for it
        }
        boolean begun = connection.begin();
        if (!begun) {
            Upgrade _ = end(local, remote);
        }
        return begun;
    }

    /** Allocates nothing: the outcome of a move is told also where memory has run out. */
    private Upgrade end(InetSocketAddress local, InetSocketAddress remote) {
        synchronized (moving) {
            int i = find(local, remote);
            return i < 0 ? null : moving.remove(i).get();
        }
    }

    private int find(InetSocketAddress local, InetSocketAddress remote) {
        assert Thread.holdsLock(moving);
        for (int i = 0; i < moving.size(); i++) {
            Ends ends = moving.get(i).ends;
            if (ends.remote.equals(remote) && ends.local.equals(local)) {
                return i;
            }
        }
        return -1;
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
    public void refused(InetSocketAddress local, InetSocketAddress remote) {
        Upgrade connection = end(local, remote);
        if (connection != null) {
            connection.refusedHere();
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
