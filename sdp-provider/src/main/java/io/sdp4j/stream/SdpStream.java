package io.sdp4j.stream;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.sdp4j.offload.spi.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.ReasonCode;
import io.sdp4j.rdma.EventLoop;
import io.sdp4j.rdma.QueuePair;
import io.sdp4j.wire.Bsdh;
import io.sdp4j.wire.SdpMachine;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;

/**
 * One SDP stream: the thin shell round one machine, one queue pair and one completion queue.
 *
 * <p>Locks: {@code core}'s monitor for everything that the machine decides. The fields of the
 * reader ({@code slot, at, left}) belong to the one thread that reads, those of a write in progress
 * live on its stack; payload is copied between two holds of the monitor, so a reader and a writer
 * never wait for each other's copies.
 *
 * <p>A message that was read to its end is given back at the reader's next call, together with
 * taking the next one: one hold of the monitor instead of two. Until then it counts as unread,
 * which costs the peer one credit.
 */
final class SdpStream implements OffloadStream {
    /**
     * Payloads up to this many bytes are copied under the lock: shorter than a second hold of it.
     */
    private static final int SMALL_BYTES = 2048;

    /** Looks at the queue before the event thread is asked to go on. */
    private static final int MAX_ROUNDS = 16;

    /**
     * How the cut of a stream was reported, because the kernel reports it once to whoever comes
     * first.
     */
    private enum Reported {
        NOTHING,
        TO_READER,
        TO_WRITER
    }

    private final StreamCore core;
    private final Waiters waiters;
    private final QueuePair qp;
    private final MemorySegment receiveMemory;
    private final MemorySegment sendMemory;
    private final ByteBuffer receiveView;
    private final int maxPayload;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final String fabric;

    /** Reader: the message being read, -1 = none. */
    private int slot = -1;

    private long at;
    private int left;

    /** Guarded by {@code core}. */
    private Reported reported = Reported.NOTHING;

    private boolean inputShut;
    private boolean closing;
    private boolean released;
    private boolean lastWriteSwallowed;
    private boolean flushScheduled;
    private int flushFor;

    SdpStream(
            SdpMachine machine,
            QueuePair qp,
            StreamSettings settings,
            EventLoop loop,
            String fabric,
            InetSocketAddress local,
            InetSocketAddress remote) {
        this.qp = qp;
        this.fabric = fabric;
        this.local = local;
        this.remote = remote;
        this.core = new StreamCore(machine, qp, settings, loop, this::onTimer);
        this.waiters = new Waiters(qp.completions(), new WaiterView());
        this.receiveMemory = qp.receiveMemory();
        this.sendMemory = qp.sendMemory();
        this.receiveView = receiveMemory.asByteBuffer();
        this.maxPayload = Math.min(machine.maxPayload(), qp.sendBytes() - Bsdh.BYTES);
        qp.completions().onDoorbell(this::onDoorbell);
    }

    // --- reading ---

    @Override
    public int tryRead(byte[] b, int off, int len) throws IOException {
        int done = 0;
        while (done < len && (left > 0 || nextMessage(done == 0))) {
            int n = Math.min(left, len - done);
            MemorySegment.copy(receiveMemory, JAVA_BYTE, at, b, off + done, n);
            advance(n);
            done += n;
        }
        return endOfRead(done, len);
    }

    @Override
    public int tryRead(ByteBuffer dst) throws IOException {
        int len = dst.remaining();
        int done = 0;
        while (done < len && (left > 0 || nextMessage(done == 0))) {
            int n = Math.min(left, len - done);
            dst.put(dst.position(), receiveView, (int) at, n);
            dst.position(dst.position() + n);
            advance(n);
            done += n;
        }
        return endOfRead(done, len);
    }

    private void advance(int n) {
        at += n;
        left -= n;
    }

    private int endOfRead(int done, int len) {
        return done == 0 && len > 0 ? emptyRead : done;
    }

    /**
     * What a read that found nothing answers; set by {@link #nextMessage}, read by the same thread.
     */
    private int emptyRead;

    /**
     * Gives back the message read last and takes the next one.
     *
     * @param first whether nothing was read yet by this call, so that an end or an error must be
     *     told
     * @return false if there is none; {@link #emptyRead} says why
     */
    private boolean nextMessage(boolean first) throws IOException {
        int wake;
        boolean found;
        synchronized (core) {
            if (slot >= 0) {
                int done = slot;
                slot = -1;
                core.consumed(done);
            }
            long entry = core.unread.take();
            if (entry == UnreadQueue.NONE) {
                core.progress();
                entry = core.unread.take();
            }
            found = entry != UnreadQueue.NONE;
            if (found) {
                slot = UnreadQueue.slot(entry);
                at = qp.receiveOffset(slot) + UnreadQueue.offset(entry);
                left = UnreadQueue.lenBytes(entry);
            } else if (first) {
                emptyRead = classifyEmpty();
            }
            wake = core.takeWakeOps();
        }
        if (wake != 0) {
            waiters.signal(wake);
        }
        return found;
    }

    /** Nothing is unread: 0 = wait, -1 = end of stream, or the reset. Called with the lock. */
    private int classifyEmpty() throws SocketException {
        SdpMachine m = core.machine;
        if (inputShut || core.finSeen() || core.vanishedClean()) {
            return -1;
        }
        if (m.reset()) {
            if (reported == Reported.TO_WRITER) {
                return -1;
            }
            reported = Reported.TO_READER;
            throw new SocketException("Connection reset");
        }
        // Whoever waits for an answer has said all of the question.
        core.batch.flush();
        return 0;
    }

    @Override
    public int available() throws IOException {
        synchronized (core) {
            core.progress();
            return inputShut ? 0 : (int) Math.min(Integer.MAX_VALUE, left + core.unread.bytes());
        }
    }

    // --- writing ---

    @Override
    public int tryWrite(byte[] b, int off, int len) throws IOException {
        return write(b, off, null, len);
    }

    @Override
    public int tryWrite(ByteBuffer src) throws IOException {
        int position = src.position();
        int n = write(null, position, src, src.remaining());
        src.position(position + n);
        return n;
    }

    /** Writes from the array, or if that is null from absolute positions of the buffer. */
    private int write(byte[] b, int off, ByteBuffer src, int len) throws IOException {
        int done = 0;
        int taken = -1; // a reserved slot that is being filled without the lock
        int filled = 0; // payload bytes in it
        while (true) {
            int wake;
            synchronized (core) {
                if (filled > 0 && core.send(taken, filled, false)) {
                    done += filled;
                }
                taken = -1;
                if (core.queue.ready()) {
                    core.progress();
                }
                int n = 1;
                while (n > 0 && len - done > 0 && len - done <= SMALL_BYTES) {
                    n = writeSmall(b, off + done, src, len - done, done == 0);
                    done += n;
                }
                if (len - done > SMALL_BYTES) {
                    core.batch.flush();
                    taken = reserveOrFail(done == 0);
                }
                flushLater();
                wake = core.takeWakeOps();
            }
            if (wake != 0) {
                waiters.signal(wake);
            }
            if (taken < 0) {
                return done == 0 && len > 0 && swallow() ? len : done;
            }
            filled = Math.min(maxPayload, len - done);
            core.batch.copyIn(taken, Bsdh.BYTES, b, off + done, src, filled);
        }
    }

    /** Takes a small write, or the part of it that fits a message; 0 = not now. With the lock. */
    private int writeSmall(byte[] b, int off, ByteBuffer src, int len, boolean tell)
            throws SocketException {
        if (core.batch.isOpen()) {
            return core.batch.append(b, off, src, len);
        }
        int taken = reserveOrFail(tell);
        if (taken < 0) {
            return 0;
        }
        int n = Math.min(maxPayload, len);
        return core.batch.sendOrKeep(taken, b, off, src, n) ? n : 0;
    }

    /**
     * Makes sure that an open batch leaves even if the application never comes back. With the lock.
     */
    private void flushLater() {
        if (core.batch.isOpen() && !flushScheduled) {
            flushScheduled = true;
            flushFor = core.batch.opened();
            core.flushLater(this::onFlushTime);
        }
    }

    /** On the event thread: sends a batch that has been open since the last time. */
    private void onFlushTime() {
        int wake;
        synchronized (core) {
            flushScheduled = false;
            if (released) {
                return;
            }
            if (core.batch.isOpen()) {
                if (core.batch.opened() == flushFor) {
                    core.batch.flush();
                }
                flushLater();
            }
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
    }

    /**
     * A reserved slot, -1 = not now. Fails if nothing can be written ever again and {@code tell}.
     * With the lock.
     */
    private int reserveOrFail(boolean tell) throws SocketException {
        int taken = core.reserve();
        if (taken < 0 && tell) {
            failIfUnwritable();
        }
        return taken;
    }

    private void failIfUnwritable() throws SocketException {
        SdpMachine m = core.machine;
        if (m.outputShut()) {
            throw new SocketException("Broken pipe");
        }
        if (m.reset()) {
            if (core.vanishedClean() && !lastWriteSwallowed) {
                return;
            }
            if (core.vanishedClean() || core.finSeen() || reported != Reported.NOTHING) {
                throw new SocketException("Broken pipe");
            }
            reported = Reported.TO_WRITER;
            throw new SocketException("Connection reset by peer");
        }
    }

    /**
     * The first write to a process that ended in order of TCP succeeds and its bytes vanish; the
     * next one fails.
     */
    private boolean swallow() {
        synchronized (core) {
            boolean swallow = core.machine.reset() && core.vanishedClean() && !lastWriteSwallowed;
            lastWriteSwallowed |= swallow;
            return swallow;
        }
    }

    @Override
    public boolean tryWriteUrgent(int value) throws IOException {
        boolean sent = false;
        int wake;
        synchronized (core) {
            core.batch.flush();
            int taken = reserveOrFail(true);
            if (taken >= 0) {
                sendMemory.set(JAVA_BYTE, qp.sendOffset(taken) + Bsdh.BYTES, (byte) value);
                sent = core.send(taken, 1, true);
            }
            wake = core.takeWakeOps();
        }
        waiters.signal(wake);
        return sent;
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
        if (over || inputShut || core.finSeen() || left > 0 || !core.unread.isEmpty()) {
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
                armed = (readyOps() & ops) == 0;
                while (armed && !core.queue.arm()) {
                    core.progress();
                    armed = (readyOps() & ops) == 0;
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
    private void onDoorbell() {
        int wake;
        synchronized (core) {
            if (released) {
                return;
            }
            core.progress();
            lookAfterItself();
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
        for (int n = 0; needsDoorbell() && !core.queue.arm(); n++) {
            if (n == MAX_ROUNDS) {
                core.later(this::onDoorbell); // a busy peer must not keep this thread; others wait
                // for the event thread
                return;
            }
            core.progress();
        }
    }

    private boolean needsDoorbell() {
        boolean unattended = closing || inputShut || !core.drained();
        return (unattended && !core.machine.closed()) || waiters.relyOnDoorbell();
    }

    private void onTimer(int timer) {
        int wake;
        synchronized (core) {
            if (released) {
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
            inputShut = true;
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
            boolean unread = left > 0;
            if (slot >= 0) {
                core.consumed(slot);
                slot = -1;
                left = 0;
            }
            core.close(unread, abortive);
            // From here on nobody stands at this stream: the doorbell drives it to its end.
            lookAfterItself();
            core.takeWakeOps();
        }
        releaseIfClosed();
    }

    private void releaseIfClosed() {
        synchronized (core) {
            if (released || !closing || !core.machine.closed()) {
                return;
            }
            released = true;
            core.cancelTimers();
        }
        qp.close();
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
            long read = core.machine.bytesReceived() - core.unread.bytes() - left;
            return new ConnectionInfo(
                    ReasonCode.OFFLOADED,
                    "SDP over " + fabric,
                    fabric,
                    read,
                    core.machine.bytesSent());
        }
    }
}
