package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.WcStatus;
import io.sdp4j.linux.MappedMemory;
import java.util.function.Predicate;

/**
 * Watches the socket of one connection, which shows whether the peer is still there, and guards the
 * mapping, so that nothing touches unmapped memory.
 *
 * <p>Shape: {@code gone} is set, mostly by the event thread, when the socket shows that the peer
 * has left; messages that the peer published before are still delivered. The failed word of a
 * side's control line tells the peer, before the socket does, that the queue pair went to error and
 * did not merely vanish with its process.
 *
 * <p>{@code life} guards {@code closed}, so that the event thread and wake-ups never touch memory
 * that was unmapped.
 */
final class PeerLiveness implements PeerSocket.Handler {
    private final ShmTransport transport;
    private final Predicate<ShmTransport> recycler;
    final PeerSocket link;
    private final MappedMemory mem;
    private final Waiter waiter;
    private final WakeSocket wakeSocket;
    private final Runnable onPeerLeft;
    private final long ownFailed;
    private final long peerFailed;

    /** The peer has left. */
    volatile boolean gone;

    /**
     * All waiting threads were told. Stays false after an error in {@link #onHangup}, which is then
     * called again.
     */
    private volatile boolean told;

    /** Why the event thread or the fabric ended the connection, or null. */
    private volatile WcStatus killed;

    /** The socket was shut down from this side. */
    private volatile boolean cut;

    private final Object life = new Object();
    private boolean closed;

    /**
     * @param recycler takes the transport over, or not (an error means not), after an end in order
     *     with both words of farewell exchanged; any thread
     * @param onPeerLeft called on any thread when the peer has left; perhaps twice, so it must not
     *     mind
     */
    PeerLiveness(
            ShmTransport transport,
            Predicate<ShmTransport> recycler,
            int side,
            Waiter waiter,
            Runnable onPeerLeft) {
        this.transport = transport;
        this.recycler = recycler;
        this.link = transport.link();
        this.mem = transport.memory().memory();
        this.waiter = waiter;
        wakeSocket = waiter.wakeSocket;
        this.onPeerLeft = onPeerLeft;
        ownFailed = ShmLayout.control(side) + ShmLayout.FAILED_WORD;
        peerFailed = ShmLayout.control(1 - side) + ShmLayout.FAILED_WORD;
    }

    WcStatus killed() {
        return killed;
    }

    /** Whether a peer that has gone had said that its queue pair failed. Queue pair's lock. */
    boolean peerFailed() {
        return mem.getIntAcquire(peerFailed) != 0;
    }

    /** Leaves bytes on the socket to another epoll, or lets the event thread take them again. */
    void leaveBytes(boolean leave) {
        synchronized (life) {
            if (!closed) {
                link.tellOfBytes(!leave);
            }
        }
    }

    /** Discards the bytes on the socket. Returns whether there were any. */
    boolean discardBytes() {
        synchronized (life) {
            int n = closed ? -1 : link.discard();
            if (n == 0) {
                gone = true; // the descriptor shows the end now, the event thread perhaps later
            }
            return n > 0;
        }
    }

    @Override
    public void onReadable() {
        boolean alive;
        synchronized (life) {
            if (closed || wakeSocket.polled()) {
                return;
            }
            alive = link.drain();
        }
        if (!alive) {
            onHangup();
        } else if (!wakeSocket.onByte()) {
            kill(WcStatus.REM_INV_REQ_ERR);
        }
    }

    @Override
    public void onHangup() {
        gone = true;
        if (!told) {
            waiter.onChange();
            onPeerLeft.run();
            told = true;
        }
    }

    /** Cuts the connection from outside; the user sees {@code why} at the next poll. */
    void kill(WcStatus why) {
        killed = why;
        fail();
        onHangup();
    }

    /** Tells the peer that the queue pair went to error, and cuts the connection. Any thread. */
    void fail() {
        cut = true;
        whileMapped(
                () -> {
                    mem.putIntRelease(ownFailed, 1);
                    link.shutdown();
                });
    }

    /** Shuts the socket down, so that the peer sees the end now. */
    void cut() {
        cut = true;
        whileMapped(link::shutdown);
    }

    /** Runs {@code task} unless the memory was unmapped and the socket closed. */
    void whileMapped(Runnable task) {
        synchronized (life) {
            if (!closed) {
                task.run();
            }
        }
    }

    boolean closed() {
        synchronized (life) {
            return closed;
        }
    }

    /**
     * Gives up the socket and the memory. Called once.
     *
     * @param inOrder whether both sides have sent their last descriptor and nothing is left to be
     *     done
     */
    void close(boolean inOrder) {
        synchronized (life) {
            wakeSocket.releaseDescriptor();
            closed = true;
            wakeSocket.disarm();
        }
        boolean kept = false;
        try {
            kept = inOrder && !cut && !gone && recycler.test(transport);
        } finally {
            if (!kept) { // perhaps for want of memory
                transport.close();
            }
        }
    }
}
