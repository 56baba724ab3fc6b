package io.sdp4j.fabric.shm;

import io.sdp4j.linux.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * Transports of the active side between two connections, so that programs that connect repeatedly
 * do not pay for sockets and memory each time.
 *
 * <p>Shape: a few transports, the newest last, each kept for about a second. They are not watched:
 * a look when a transport is wanted shows whether the other side has let go of it or has left.
 * Thread-safe.
 */
final class ShmTransportPool {
    private static final int MOST = 16;
    private static final long KEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int WORDS_BYTES = 64;

    private final ShmFabric fabric;
    private final ArrayDeque<Spare> pool = new ArrayDeque<>(); // this
    private boolean sweeping; // this
    private boolean closed; // this

    ShmTransportPool(ShmFabric fabric) {
        this.fabric = fabric;
    }

    private static final class Spare {
        final InetSocketAddress remote;
        final ShmTransport transport;
        final long sinceNanos = System.nanoTime();

        /** The other side has let go of the transport. */
        boolean free;

        /** The other side has left or broke the rules. */
        boolean gone;

        Spare(InetSocketAddress remote, ShmTransport transport) {
            this.remote = remote;
            this.transport = transport;
            free = transport.link().takeFree();
        }

        /**
         * Looks for the other side's {@link ShmTransport#FREE}; wake-up bytes that were not taken
         * may come before it.
         */
        void look() {
            byte[] words = new byte[WORDS_BYTES];
            try {
                int n = transport.link().receive(words, 0, words.length);
                gone |= n < 0;
                for (int i = 0; i < n; i++) {
                    gone |= free; // nothing follows FREE
                    free |= words[i] == ShmTransport.FREE;
                }
            } catch (IOException e) {
                gone = true;
            }
        }
    }

    /**
     * Keeps {@code transport}, which carried a connection to {@code remote}, unless there is no
     * room.
     */
    boolean keep(InetSocketAddress remote, ShmTransport transport) {
        transport.link().unwatch();
        synchronized (this) {
            if (closed || pool.size() >= MOST) {
                return false;
            }
            Spare spare = new Spare(remote, transport);
            if (!sweeping) {
                fabric.loop.schedule((EventLoop.Repeatable) this::sweep, KEEP_NANOS);
                sweeping = true;
            }
            pool.addLast(spare); // last: only then the transport has another owner
            return true;
        }
    }

    /**
     * Takes a wiped transport to the process that listened on {@code remote} a second ago, or
     * returns null. The caller owns the transport and has to find out whether that process still
     * listens.
     */
    synchronized ShmTransport take(InetSocketAddress remote) {
        for (Iterator<Spare> it = pool.descendingIterator(); it.hasNext(); ) {
            Spare spare = it.next();
            if (!spare.remote.equals(remote)) {
                continue;
            }
            spare.look();
            if (spare.gone) {
                it.remove();
                spare.transport.close();
            } else if (spare.free) {
                it.remove();
                spare.transport.wipe();
                return spare.transport;
            }
        }
        return null;
    }

    /** Whether the other side has let go of one of the transports. */
    synchronized boolean ready() {
        for (Spare spare : pool) {
            spare.look();
            if (spare.free) {
                return true;
            }
        }
        return false;
    }

    private void sweep() {
        boolean more;
        synchronized (this) {
            long now = System.nanoTime();
            while (!pool.isEmpty() && now - pool.peekFirst().sinceNanos >= KEEP_NANOS) {
                pool.removeFirst().transport.close();
            }
            more = !pool.isEmpty();
            sweeping = more;
        }
        if (more) {
            fabric.loop.schedule((EventLoop.Repeatable) this::sweep, KEEP_NANOS);
        }
    }

    synchronized void close() {
        closed = true;
        drop();
    }

    /** Closes all transports in the pool. */
    synchronized void drop() {
        while (!pool.isEmpty()) {
            pool.removeFirst().transport.close();
        }
    }
}
