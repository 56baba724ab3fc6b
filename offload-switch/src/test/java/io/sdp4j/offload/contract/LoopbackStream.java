package io.sdp4j.offload.contract;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.spi.OffloadStream;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * One end of a connection of {@link LoopbackProvider}. Its ring holds what the other end has
 * written and this one has not read; {@code link}, shared by both ends, guards every field.
 */
final class LoopbackStream implements OffloadStream {
    static final int RING_BYTES = 64 * 1024;

    /** The provider's thread, for callers that do not wait. */
    private static final Executor TASKS =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("loopback").factory());

    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final Runnable onClose;
    private final Object link;
    private LoopbackStream peer; // set once, before use

    private final byte[] ring = new byte[RING_BYTES];
    private int head;
    private int count;
    private boolean peerFinished; // a FIN is in, behind the ring
    private boolean finished; // we sent one
    private boolean inputShut;
    private boolean resetPending; // not reported yet
    private boolean dead; // nothing can be sent any more
    private boolean closed;
    private boolean oobInline;
    private long urgentAt = -1; // the last urgent byte's place, counted as bytesRead is
    private long bytesRead;
    private long bytesWritten;

    private Thread reader;
    private Thread writer;
    private Runnable readTask;
    private Runnable writeTask;
    private boolean wakeReader;
    private boolean wakeWriter;

    LoopbackStream(
            InetSocketAddress local, InetSocketAddress remote, Object link, Runnable onClose) {
        this.link = link;
        this.local = local;
        this.remote = remote;
        this.onClose = onClose;
    }

    static void join(LoopbackStream a, LoopbackStream b) {
        a.peer = b;
        b.peer = a;
    }

    @Override
    public int tryRead(byte[] b, int off, int len) throws SocketException {
        synchronized (link) {
            int n = readable(len);
            if (n > 0) {
                int first = Math.min(n, RING_BYTES - head);
                System.arraycopy(ring, head, b, off, first);
                System.arraycopy(ring, 0, b, off + first, n - first);
                taken(n);
            }
            return n;
        }
    }

    @Override
    public int tryRead(ByteBuffer dst) throws SocketException {
        synchronized (link) {
            int n = readable(dst.remaining());
            if (n > 0) {
                int first = Math.min(n, RING_BYTES - head);
                dst.put(ring, head, first);
                dst.put(ring, 0, n - first);
                taken(n);
            }
            return n;
        }
    }

    private int readable(int len) throws SocketException {
        checkOpen();
        if (inputShut) {
            return -1;
        }
        if (len > 0 && urgentAt == bytesRead && !oobInline) {
            taken(1);
        }
        if (count > 0 || len == 0) {
            boolean stops = urgentAt > bytesRead;
            return stops ? (int) Math.min(urgentAt - bytesRead, len) : Math.min(count, len);
        }
        if (resetPending) {
            resetPending = false;
            throw new SocketException("Connection reset");
        }
        return peerFinished || dead ? -1 : 0;
    }

    private void taken(int n) {
        head = (head + n) % RING_BYTES;
        count -= n;
        bytesRead += n;
        peer.wakeWriter(false);
    }

    @Override
    public int tryWrite(byte[] b, int off, int len) throws SocketException {
        synchronized (link) {
            int n = writable(len);
            if (!peer.drops()) {
                int tail = (peer.head + peer.count) % RING_BYTES;
                int first = Math.min(n, RING_BYTES - tail);
                System.arraycopy(b, off, peer.ring, tail, first);
                System.arraycopy(b, off + first, peer.ring, 0, n - first);
            }
            given(n);
            return n;
        }
    }

    @Override
    public int tryWrite(ByteBuffer src) throws SocketException {
        synchronized (link) {
            int n = writable(src.remaining());
            if (peer.drops()) {
                src.position(src.position() + n);
            } else {
                int tail = (peer.head + peer.count) % RING_BYTES;
                int first = Math.min(n, RING_BYTES - tail);
                src.get(peer.ring, tail, first);
                src.get(peer.ring, 0, n - first);
            }
            given(n);
            return n;
        }
    }

    private boolean drops() {
        return closed || inputShut;
    }

    private int writable(int len) throws SocketException {
        checkOpen();
        if (resetPending) {
            resetPending = false; // a write consumes the error: behaviour 17
            throw new SocketException("Connection reset by peer");
        }
        if (finished || dead) {
            throw new SocketException("Broken pipe");
        }
        return peer.drops() ? len : Math.min(len, RING_BYTES - peer.count);
    }

    private void given(int n) {
        bytesWritten += n;
        if (peer.closed) {
            dead = dead || n > 0; // behaviour 16: these bytes vanish, the answer is a reset
        } else if (!peer.inputShut && n > 0) {
            peer.count += n;
            peer.wakeReader(false);
        }
    }

    @Override
    public boolean tryWriteUrgent(int value) throws SocketException {
        synchronized (link) {
            if (writable(1) == 0) {
                return false;
            }
            if (!peer.drops()) {
                peer.urgent(value);
            }
            given(1);
            return true;
        }
    }

    /** As Linux: one that the reader stands before makes way, another becomes an ordinary byte. */
    private void urgent(int value) {
        if (urgentAt == bytesRead && !oobInline) {
            taken(1);
        }
        urgentAt = bytesRead + count;
        ring[(head + count) % RING_BYTES] = (byte) value;
    }

    private boolean atMark() {
        return urgentAt == bytesRead && !oobInline && count > 0;
    }

    @Override
    public void oobInline(boolean inline) {
        synchronized (link) {
            checkOpen();
            oobInline = inline;
        }
    }

    @Override
    public int available() {
        synchronized (link) {
            checkOpen();
            return urgentAt >= bytesRead && !oobInline ? (int) (urgentAt - bytesRead) : count;
        }
    }

    @Override
    public int ready() {
        synchronized (link) {
            checkOpen();
            int ready = 0;
            if (inputShut || count > (atMark() ? 1 : 0) || resetPending || peerFinished || dead) {
                ready |= READ;
            }
            if (finished || resetPending || dead || peer.drops() || peer.count < RING_BYTES) {
                ready |= WRITE;
            }
            return ready;
        }
    }

    @Override
    public void await(int ops, long nanos) {
        Thread self = Thread.currentThread();
        long deadlineNanos = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
        boolean interrupted = false;
        boolean waiting = true;
        while (waiting) {
            synchronized (link) {
                waiting = (ready() & ops) == 0 && !(ops == READ ? wakeReader : wakeWriter);
                if (ops == READ) {
                    reader = waiting ? self : null;
                    wakeReader &= waiting;
                } else {
                    writer = waiting ? self : null;
                    wakeWriter &= waiting;
                }
            }
            if (waiting) {
                if (nanos == Long.MAX_VALUE) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, deadlineNanos - System.nanoTime());
                    waiting = deadlineNanos - System.nanoTime() > 0;
                }
                if (self.isInterrupted()) {
                    if (self.isVirtual()) {
                        waiting = false;
                    } else {
                        interrupted |= Thread.interrupted(); // behaviour 20
                    }
                }
            }
        }
        if (interrupted) {
            self.interrupt();
        }
    }

    @Override
    public boolean arm(int ops, Runnable onReady) {
        synchronized (link) {
            boolean woken = ((ops & READ) != 0 && wakeReader) || ((ops & WRITE) != 0 && wakeWriter);
            wakeReader &= (ops & READ) == 0;
            wakeWriter &= (ops & WRITE) == 0;
            if (woken || (ready() & ops) != 0) {
                return false;
            }
            readTask = (ops & READ) != 0 ? onReady : readTask;
            writeTask = (ops & WRITE) != 0 ? onReady : writeTask;
            return true;
        }
    }

    private void wakeReader(boolean sticky) {
        wakeReader |= sticky;
        LockSupport.unpark(reader);
        if (readTask != null) {
            TASKS.execute(readTask);
            readTask = null;
        }
    }

    private void wakeWriter(boolean sticky) {
        wakeWriter |= sticky;
        LockSupport.unpark(writer);
        if (writeTask != null) {
            TASKS.execute(writeTask);
            writeTask = null;
        }
    }

    @Override
    public void wake() {
        synchronized (link) {
            checkOpen();
            wakeReader(true);
            wakeWriter(true);
        }
    }

    @Override
    public void shutdownInput() {
        synchronized (link) {
            checkOpen();
            inputShut = true;
            count = 0;
            wakeReader(false);
            peer.wakeWriter(false);
        }
    }

    @Override
    public void shutdownOutput() {
        synchronized (link) {
            checkOpen();
            if (!finished) {
                finished = true;
                peer.peerFinished = true;
                peer.wakeReader(false);
                wakeWriter(false);
            }
        }
    }

    /** Half a ring stands for the peer's window, the rest for our unsent bytes. */
    @Override
    public boolean drained() {
        synchronized (link) {
            checkOpen();
            return dead || resetPending || peer.closed || peer.count <= RING_BYTES / 2;
        }
    }

    @Override
    public void close(boolean abortive) {
        synchronized (link) {
            checkOpen();
            closed = true;
            if (!peer.closed && !dead) {
                if (!abortive) {
                    peer.peerFinished = true;
                    peer.dead |= count > 0; // unread data: a reset follows the FIN
                } else if (peer.peerFinished) {
                    peer.dead = true; // a reset after a FIN is a broken pipe to Linux
                } else {
                    peer.resetPending = true;
                    peer.dead = true;
                }
            }
            peer.wakeReader(false);
            peer.wakeWriter(false);
            wakeReader(false);
            wakeWriter(false);
        }
        onClose.run();
    }

    /** {@code close} is the last call there may be. */
    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("used after close");
        }
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public ConnectionInfo info() {
        synchronized (link) {
            return new ConnectionInfo(
                    ReasonCode.OFFLOADED,
                    "two rings in this JVM",
                    LoopbackProvider.FABRIC,
                    bytesRead,
                    bytesWritten);
        }
    }
}
