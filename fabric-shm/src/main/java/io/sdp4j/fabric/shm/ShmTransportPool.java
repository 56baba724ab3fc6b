package io.sdp4j.fabric.shm;

import io.sdp4j.linux.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/**
 * Transports of the active side between two connections, so that programs which connect again and
 * again do not pay for sockets and memory each time.
 *
 * <p>Shape: few, the newest last, each kept for about a second. They are not watched: that the
 * other side has let go of one, or has left, is found when it is wanted or its time is over.
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

        /** The other side has let go of it. */
        boolean free;

        /** The other side has left, or makes no sense. */
        boolean gone;

        Spare(InetSocketAddress remote, ShmTransport transport) {
            this.remote = remote;
            this.transport = transport;
            free = transport.link().takeFree();
        }

        /**
         * Looks for the other side's word; wake-up bytes that were not taken may come before it.
         */
        void look() {
            byte[] words = new byte[WORDS_BYTES];
            try {
                int n = transport.link().receive(words, 0, words.length);
                gone |= n < 0;
                for (int i = 0; i < n; i++) {
                    gone |= free; // nothing follows that word
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
            pool.addLast(new Spare(remote, transport));
            if (sweeping) {
                return true;
            }
            sweeping = true;
        }
        fabric.loop.schedule((EventLoop.Repeatable) this::sweep, KEEP_NANOS);
        return true;
    }

    /**
     * A wiped transport, now the caller's, to the process that listened on {@code remote} a second
     * ago, or null. Whether it still does is for the caller to find out.
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

    /** Whether the other side has let go of one. */
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

    /** Gives up all there are. */
    synchronized void drop() {
        while (!pool.isEmpty()) {
            pool.removeFirst().transport.close();
        }
    }
}
