package io.sdp4j.stream;

import io.sdp4j.offload.spi.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.ReasonCode;
import io.sdp4j.rdma.EventLoop;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.wire.SdpMachine;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * One SDP stream: the thin shell round one machine, one queue pair and one completion queue.
 *
 * <p>Lock: {@code core}'s monitor for everything that the machine decides. Payload is copied
 * without it, by {@link StreamReader} and {@link StreamWriter}, so that they never wait for each
 * other's copies. Wake-ups are carried out after the monitor was left.
 */
final class SdpStream implements OffloadStream {
    /** Looks at the queue before the event thread is asked to go on. */
    private static final int MAX_ROUNDS = 16;

    private final StreamCore core;
    private final Waiters waiters;
    private final StreamReader reader;
    private final StreamWriter writer;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final String fabric;

    /** The application has closed. Guarded by {@code core}. */
    private boolean closing;

    /**
     * The doorbell was granted to somebody: what comes is his to see, and a call of the event
     * thread that was on its way then must not ask for it instead. Guarded by {@code core}.
     */
    private boolean watched;

    SdpStream(
            SdpMachine machine,
            QueuePair qp,
            StreamSettings settings,
            EventLoop loop,
            String fabric,
            InetSocketAddress local,
            InetSocketAddress remote) {
        this.fabric = fabric;
        this.local = local;
        this.remote = remote;
        this.core = new StreamCore(machine, qp, settings, loop, this::onTimer);
        this.waiters = new Waiters(qp.completions(), new WaiterView(), loop);
        Ending ending = new Ending(core);
        this.reader = new StreamReader(core, waiters, ending);
        this.writer = new StreamWriter(core, waiters, ending);
        qp.completions().onDoorbell(this::onDoorbell);
    }

    @Override
    public int tryRead(byte[] b, int off, int len) throws IOException {
        return reader.read(b, off, len);
    }

    @Override
    public int tryRead(ByteBuffer dst) throws IOException {
        return reader.read(dst);
    }

    @Override
    public int available() throws IOException {
        synchronized (core) {
            core.progress();
            long bytes = reader.left() + core.unread.bytes();
            return core.inputShut() ? 0 : (int) Math.min(Integer.MAX_VALUE, bytes);
        }
    }

    @Override
    public int tryWrite(byte[] b, int off, int len) throws IOException {
        return writer.write(b, off, null, len);
    }

    @Override
    public int tryWrite(ByteBuffer src) throws IOException {
        int position = src.position();
        int n = writer.write(null, position, src, src.remaining());
        src.position(position + n);
        return n;
    }

    @Override
    public boolean tryWriteUrgent(int value) throws IOException {
        return writer.writeUrgent(value);
    }

    @Override
    public void oobInline(boolean inline) {
        synchronized (core) {
            core.oobInline(inline);
        }
    }

    // --- waiting ---

    @Override
    public int ready() {
        int ready;
        int wake;
        synchronized (core) {
            core.progress();
            ready = readyOps();
            wake = core.takeWakeOps();
        }
        if (wake != 0) {
            waiters.signal(wake);
        }
        return ready;
    }

    /** With the lock; the reader's own fields are looked at only as a hint. */
    private int readyOps() {
        SdpMachine m = core.machine;
        boolean over = m.reset() || closing;
        int ops = 0;
        boolean unread = reader.left() > 0 || !core.unread.isEmpty();
        if (over || unread || core.inputShut() || core.finSeen()) {
            ops |= READ;
        }
        if (over || m.outputShut() || m.writable() || core.batch.isOpen()) {
            ops |= WRITE;
        }
        return ops;
    }

    @Override
    public void await(int ops, long nanos) {
        waiters.await(ops, nanos);
    }

    @Override
    public void wake() {
        waiters.wakeAll();
    }

    @Override
    public boolean arm(int ops, Runnable onReady) {
        return waiters.arm(ops, onReady);
    }

    @Override
    public int doorbell() {
        return core.queue.descriptor();
    }

    @Override
    public int armDoorbell(int ops) {
        int answer;
        int wake;
        synchronized (core) {
            core.progress();
            if (ops != 0) {
                // Whoever is about to wait for an answer has said all of the question.
                core.batch.flush();
            }
            if (ops == 0 || unattended() || doorbell() < 0) {
                core.queue.releaseDescriptor();
                lookAfterItself();
                answer = ops == 0 ? 0 : -1;
            } else {
                answer = armDescriptor(ops);
            }
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        return answer;
    }

    /** With the lock. */
    private int armDescriptor(int ops) {
        int ready = readyOps() & ops;
        for (int n = 0; ready == 0; n++) {
            if (n == MAX_ROUNDS) {
                return ops; // a busy peer must not keep this thread: it may come back
            }
            if (core.queue.armDescriptor()) {
                watched = true;
                return 0;
            }
            core.progress();
            ready = readyOps() & ops;
        }
        return ready;
    }

    private final class WaiterView implements Waiters.Stream {
        @Override
        public int ready() {
            return SdpStream.this.ready();
        }

        @Override
        public boolean armUnlessReady(int ops) {
            boolean armed;
            int wake;
            synchronized (core) {
                core.progress();
                watched = false;
                armed = false;
                for (int n = 0; n < MAX_ROUNDS && !armed && (readyOps() & ops) == 0; n++) {
                    armed = core.queue.arm();
                    if (!armed) {
                        core.progress();
                    }
                }
                wake = core.takeWakeOps();
            }
            waiters.signal(wake);
            return armed;
        }
    }

    /**
     * On the event thread: something completed while a virtual thread was parked, or after the
     * application closed.
     */
    void onDoorbell() {
        int wake;
        synchronized (core) {
            if (core.released()) {
                return;
            }
            core.progress();
            if (!watched) {
                lookAfterItself();
            }
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        releaseIfClosed();
    }

    /**
     * Arms the doorbell while there is work that no thread stands by for: a closing hand-shake, an
     * end of stream that waits for credits, input to be thrown away so that the peer can write on,
     * a parked virtual thread. With the lock.
     */
    private void lookAfterItself() {
        watched = false;
        for (int n = 0; needsDoorbell() && !core.queue.arm(); n++) {
            if (n == MAX_ROUNDS) {
                // A busy peer must not keep this thread.
                core.later(this::onDoorbell);
                return;
            }
            core.progress();
        }
    }

    private boolean needsDoorbell() {
        return unattended() || waiters.relyOnDoorbell();
    }

    private boolean unattended() {
        return (closing || core.inputShut() || !core.drained()) && !core.machine.closed();
    }

    private void onTimer(int timer) {
        int wake;
        synchronized (core) {
            if (core.released()) {
                return;
            }
            core.onTimer(timer);
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        releaseIfClosed();
    }

    // --- closing ---

    @Override
    public void shutdownInput() {
        int wake;
        synchronized (core) {
            core.shutdownInput();
            lookAfterItself();
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
    }

    @Override
    public void shutdownOutput() {
        int wake;
        synchronized (core) {
            core.shutdownOutput();
            lookAfterItself();
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
    }

    @Override
    public boolean drained() {
        synchronized (core) {
            core.progress();
            return core.drained();
        }
    }

    @Override
    public void close(boolean abortive) {
        synchronized (core) {
            closing = true;
            core.progress();
            boolean unread = reader.left() > 0;
            reader.giveBack();
            core.close(unread, abortive);
            // From here on nobody stands at this stream: the doorbell drives it to its end.
            lookAfterItself();
            core.takeWakeOps();
        }
        waiters.signal(READ | WRITE);
        releaseIfClosed();
    }

    private void releaseIfClosed() {
        synchronized (core) {
            if (core.released() || !closing || !core.machine.closed()) {
                return;
            }
            core.release();
        }
        core.qp.close();
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
        synchronized (core) {
            long read = core.machine.bytesReceived() - core.unread.bytes() - reader.left();
            return new ConnectionInfo(
                    ReasonCode.OFFLOADED,
                    "SDP over " + fabric,
                    fabric,
                    read,
                    core.machine.bytesSent());
        }
    }
}
