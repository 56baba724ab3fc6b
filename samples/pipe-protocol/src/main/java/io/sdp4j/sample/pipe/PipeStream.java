package io.sdp4j.sample.pipe;

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
 * One end of a connection. Its ring holds what the other end has written and this one has not read.
 * No operation blocks but {@link #await}; the switch makes sockets and channels of that.
 *
 * <p>{@code lock}, which both ends share, guards all fields.
 */
final class PipeStream implements OffloadStream {
    private static final int RING_BYTES = 64 * 1024;

    /** The thread that calls those who do not wait themselves: selectors, virtual threads. */
    private static final Executor EVENTS =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform()
                            .daemon()
                            .inheritInheritableThreadLocals(false)
                            .name("sample-pipe")
                            .factory());

    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final Object lock;
    private PipeStream peer;

    private final byte[] ring = new byte[RING_BYTES];
    private int head;
    private int count;
    private long read;
    private long written;
    private boolean ended; // this end has said that no more comes
    private boolean inputShut;
    private boolean oobInline;
    private boolean broken; // nothing goes to or fro any more
    private boolean resetUntold; // and the application does not know yet
    private boolean closed;

    private final Waiter reader = new Waiter();
    private final Waiter writer = new Waiter();

    /** The thread, or the task, that waits for one direction. */
    private static final class Waiter {
        Thread thread;
        Runnable task;
        boolean woken;

        void signal() {
            LockSupport.unpark(thread);
            if (task != null) {
                EVENTS.execute(task);
                task = null;
            }
        }
    }

    /** The end of the client. */
    PipeStream(InetSocketAddress local, InetSocketAddress remote) {
        this(local, remote, new Object());
    }

    private PipeStream(InetSocketAddress local, InetSocketAddress remote, Object lock) {
        this.local = local;
        this.remote = remote;
        this.lock = lock;
    }

    /** The other end; once. */
    PipeStream otherEnd(InetSocketAddress itsLocal, InetSocketAddress itsRemote) {
        PipeStream other = new PipeStream(itsLocal, itsRemote, lock);
        other.peer = this;
        peer = other;
        return other;
    }

    @Override
    public int tryRead(byte[] b, int off, int len) throws SocketException {
        return tryRead(ByteBuffer.wrap(b, off, len));
    }

    @Override
    public int tryRead(ByteBuffer dst) throws SocketException {
        synchronized (lock) {
            if (inputShut) {
                return -1;
            }
            int n = Math.min(count, dst.remaining());
            if (n > 0) {
                int first = Math.min(n, RING_BYTES - head);
                dst.put(ring, head, first).put(ring, 0, n - first);
                head = (head + n) % RING_BYTES;
                count -= n;
                read += n;
                peer.writer.signal();
            } else if (dst.hasRemaining()) { // data that came before the end goes first
                tellReset("Connection reset");
                return peer.ended || broken ? -1 : 0;
            }
            return n;
        }
    }

    @Override
    public int tryWrite(byte[] b, int off, int len) throws SocketException {
        return tryWrite(ByteBuffer.wrap(b, off, len));
    }

    @Override
    public int tryWrite(ByteBuffer src) throws SocketException {
        synchronized (lock) {
            tellReset("Connection reset by peer");
            if (ended || broken) {
                throw new SocketException("Broken pipe");
            }
            int n = peer.give(src);
            written += n;
            broken = peer.closed && n > 0; // as TCP: what was written vanishes, the next fails
            return n;
        }
    }

    /** Takes what fits into the ring of this end. */
    private int give(ByteBuffer src) {
        if (closed || inputShut) { // thrown away
            int n = src.remaining();
            src.position(src.limit());
            return n;
        }
        int n = Math.min(RING_BYTES - count, src.remaining());
        int tail = (head + count) % RING_BYTES;
        int first = Math.min(n, RING_BYTES - tail);
        src.get(ring, tail, first).get(ring, 0, n - first);
        count += n;
        reader.signal();
        return n;
    }

    private void tellReset(String text) throws SocketException {
        if (resetUntold) {
            resetUntold = false;
            throw new SocketException(text);
        }
    }

    /** Urgent bytes are ordinary ones to a reader that wants them in line, else dropped. */
    @Override
    public boolean tryWriteUrgent(int value) throws SocketException {
        synchronized (lock) {
            return !peer.oobInline || tryWrite(new byte[] {(byte) value}, 0, 1) == 1;
        }
    }

    @Override
    public void oobInline(boolean inline) {
        synchronized (lock) {
            oobInline = inline;
        }
    }

    @Override
    public int available() {
        synchronized (lock) {
            return count;
        }
    }

    @Override
    public int ready() {
        synchronized (lock) {
            boolean over = broken || resetUntold;
            boolean room = peer.closed || peer.inputShut || peer.count < RING_BYTES;
            return (over || inputShut || peer.ended || count > 0 ? READ : 0)
                    | (over || ended || room ? WRITE : 0);
        }
    }

    private Waiter waiter(int op) {
        return op == READ ? reader : writer;
    }

    @Override
    public void await(int ops, long nanos) {
        Thread self = Thread.currentThread();
        Waiter waiter = waiter(ops);
        long start = System.nanoTime();
        boolean interrupted = false;
        while (true) {
            long left = nanos - (System.nanoTime() - start);
            synchronized (lock) {
                if (waiter.woken || left <= 0 || (ready() & ops) != 0) {
                    waiter.thread = null;
                    waiter.woken = false;
                    break;
                }
                waiter.thread = self;
            }
            LockSupport.parkNanos(this, left);
            if (self.isVirtual() && self.isInterrupted()) {
                nanos = 0; // the switch deals with it
            } else {
                interrupted |= Thread.interrupted(); // or the next park would not wait
            }
        }
        if (interrupted) {
            self.interrupt();
        }
    }

    @Override
    public void wake() {
        synchronized (lock) {
            for (Waiter waiter : new Waiter[] {reader, writer}) {
                waiter.woken = true; // stays until the next wait
                waiter.signal();
            }
        }
    }

    @Override
    public boolean arm(int ops, Runnable onReady) {
        synchronized (lock) {
            boolean now = (ready() & ops) != 0;
            for (int op = READ; op <= WRITE; op++) {
                if ((ops & op) != 0) {
                    now |= waiter(op).woken;
                    waiter(op).woken = false;
                }
            }
            for (int op = READ; op <= WRITE && !now; op++) {
                if ((ops & op) != 0) {
                    waiter(op).task = onReady;
                }
            }
            return !now;
        }
    }

    @Override
    public void shutdownInput() {
        synchronized (lock) {
            inputShut = true;
            count = 0;
            reader.signal();
            peer.writer.signal();
        }
    }

    @Override
    public void shutdownOutput() {
        synchronized (lock) {
            ended = true;
            writer.signal();
            peer.reader.signal();
        }
    }

    @Override
    public boolean drained() {
        return true; // what was written is with the peer at once
    }

    @Override
    public void close(boolean abortive) {
        synchronized (lock) {
            if (!peer.closed && (abortive || count > 0)) { // as TCP: unread data is a reset, too
                peer.resetUntold = !peer.broken;
                peer.broken = true;
            }
            closed = true;
            ended = true;
            reader.signal();
            writer.signal();
            peer.reader.signal();
            peer.writer.signal();
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
        synchronized (lock) {
            return new ConnectionInfo(
                    ReasonCode.OFFLOADED,
                    "two queues in this JVM",
                    PipeProvider.NAME,
                    read,
                    written);
        }
    }
}
