package io.sdp4j.stream;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.fabric.CompletionQueue;
import io.sdp4j.fabric.Fabric;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;

/**
 * One SDP stream: the thin shell round one machine, one queue pair and one completion queue.
 *
 * <p>Lock: {@code core}'s monitor for everything that the machine decides. Payload is copied
 * without it, by {@link StreamReader} and {@link StreamWriter}, so that they never wait for each
 * other's copies. Wake-ups are carried out after the monitor was left.
 */
final class SdpStream implements OffloadStream {
    private final StreamLife life;
    private final StreamCore core;
    private final BlockedThreads blocked;
    private final StreamReader reader;
    private final StreamWriter writer;
    private final StreamReadiness readiness;

    /** Payload moved, either way, since the last {@link #busyPoll}. A hint. */
    private boolean moved;

    /** Payload was written since payload was last read. A hint. */
    private boolean spoken;

    private SdpStream(StreamLife life, long bulkBytes, boolean writesPast) {
        this.life = life;
        this.core = life.core;
        this.blocked = life.blocked;
        this.reader = life.reader;
        this.readiness = life.readiness;
        this.writer =
                new StreamWriter(core, blocked, readiness, life.errors, bulkBytes, writesPast);
    }

    /**
     * Makes a stream, which looks after itself from here on. It owns the connection, which is cut
     * if this throws.
     */
    static SdpStream begin(Established open, StreamContext context, Fabric fabric) {
        SdpStream stream = null;
        try {
            StreamLife life = new StreamLife(open, context, fabric);
            stream = new SdpStream(life, context.settings().bulkBytes(), open.qp().writesPast());
            life.begin();
            return stream;
        } catch (RuntimeException | Error e) {
            if (stream != null) {
                stream.close(true);
            } else {
                open.abort();
            }
            throw e;
        }
    }

    StreamLife life() {
        return life;
    }

    @Override
    public int tryRead(byte[] b, int off, int len) throws IOException {
        return reader.read(b, off, len);
    }

    @Override
    public int tryRead(ByteBuffer dst) throws IOException {
        int n = reader.read(dst);
        if (n > 0) {
            moved = true;
            spoken = false;
        }
        return n;
    }

    @Override
    public int available() throws IOException {
        long bytes;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            bytes = core.inbox.isShut() ? 0 : core.inbox.available();
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return (int) Math.min(Integer.MAX_VALUE, bytes);
    }

    @Override
    public int tryWrite(byte[] b, int off, int len) throws IOException {
        return writer.write(b, off, null, len, false, true);
    }

    @Override
    public boolean tryBegin(byte[] b) {
        return writer.begin(b);
    }

    @Override
    public int tryWrite(ByteBuffer src) throws IOException {
        return write(src, false, true);
    }

    @Override
    public int tryWrite(ByteBuffer[] srcs, int from, int to) throws IOException {
        int total = 0;
        boolean all = true;
        try {
            for (int i = from; i < to && all; i++) {
                if (srcs[i].remaining() > Integer.MAX_VALUE - total) {
                    return total;
                }
                if (srcs[i].hasRemaining()) {
                    total += write(srcs[i], true, total == 0);
                    all = !srcs[i].hasRemaining();
                }
            }
        } finally {
            writer.endGather();
        }
        return total;
    }

    private int write(ByteBuffer src, boolean more, boolean first) throws IOException {
        int position = src.position();
        int n = core.lending == null ? -1 : writer.writeLent(src);
        if (n < 0) {
            n = writer.write(null, position, src, src.remaining(), more, first);
        }
        src.position(position + n);
        if (n > 0) {
            moved = true;
            spoken = true;
        }
        return n;
    }

    @Override
    public boolean tryWriteUrgent(int value) throws IOException {
        return writer.writeUrgent(value);
    }

    @Override
    public void oobInline(boolean inline) {
        synchronized (core) {
            core.inbox.oobInline(inline);
        }
    }

    @Override
    public void readerBehind(boolean behind) {
        readiness.change(() -> core.inbox.readerBehind(behind));
    }

    @Override
    public boolean peerVanished() {
        synchronized (core) {
            return core.end.vanished();
        }
    }

    @Override
    public void keepAlive(boolean on) {
        synchronized (core) {
            if (!core.released()) {
                core.keepAlive.set(on);
            }
        }
    }

    // --- lending ---

    @Override
    public boolean wantsLoan(int op, Loan loan) {
        return core.lending != null && core.lending.wants(loan);
    }

    @Override
    public void lend(int op, Loan loan) {
        if (!wantsLoan(op, loan)) {
            return;
        }
        int wake;
        synchronized (core) {
            core.enter();
            if (op == WRITE ? core.lending.writes().mayLend() : readMayLend()) {
                core.progress();
                if (op == WRITE || readMayLend()) { // a read has nothing to wait for any more
                    core.lending.lend(op, loan);
                }
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    private boolean readMayLend() {
        return !core.lending.reads().active() && !core.inbox.isShut() && reader.empty();
    }

    @Override
    public void reclaim(int op, boolean givenUp) {
        if (core.lending == null) {
            return;
        }
        int wake;
        synchronized (core) {
            core.enter();
            core.lending.reclaim(op, givenUp);
            if (core.lending.lingers()) { // else there is nothing new to look after
                readiness.attend();
            }
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    // --- waiting ---

    @Override
    public int ready() {
        return readiness.ready(READ | WRITE);
    }

    @Override
    public int room() {
        return readiness.room();
    }

    @Override
    public void await(int ops, long nanos) {
        blocked.await(ops, nanos);
    }

    @Override
    public void wake() {
        blocked.wakeAll();
    }

    @Override
    public boolean arm(int ops, Runnable onReady) {
        return blocked.arm(ops, onReady);
    }

    @Override
    public int notifyFd() {
        return readiness.notifyFd();
    }

    @Override
    public void busyPoll(int ops, BooleanSupplier elsewhere) {
        if (!moved) {
            return;
        }
        moved = false;
        CompletionQueue queue = readiness.waitsIn(ops);
        if (queue != null) {
            queue.busyPoll(spoken, elsewhere);
        }
    }

    @Override
    public BusyLook busyLook() {
        synchronized (core) {
            CompletionQueue.BusyLook looks = core.queue.busyLook();
            return looks == null ? null : looks::look;
        }
    }

    @Override
    public int holdNotify(int ops) {
        return readiness.holdNotify(ops);
    }

    @Override
    public int requestNotify(int ops) {
        return readiness.requestNotify(ops);
    }

    // --- closing ---

    @Override
    public boolean migrate() throws IOException {
        return life.migrate();
    }

    @Override
    public void shutdownInput() {
        readiness.change(
                () -> {
                    core.end.shutdownInput();
                    readiness.lookAfterItself();
                });
    }

    @Override
    public void shutdownOutput() {
        int wake;
        synchronized (core) {
            core.enter();
            core.end.shutdownOutput();
            readiness.lookAfterItself();
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
    }

    @Override
    public boolean drained() {
        boolean drained;
        int wake;
        synchronized (core) {
            core.enter();
            core.progress();
            drained = core.end.drained();
            wake = core.takeWakeOps();
        }
        blocked.signal(wake);
        return drained;
    }

    @Override
    public void close(boolean abortive) {
        synchronized (core) {
            if (core.released()) {
                return; // closed before, and its memory is gone
            }
            core.enter();
            core.end.beginClose();
            writer.cutIfLost();
            core.progress();
            boolean left = core.inbox.holdsInput();
            core.end.close(left, abortive);
            reader.giveBack(); // last: a cut stream has no room for what the peer still writes
            // From here on no thread waits in this stream: notifications drive it to its end.
            readiness.lookAfterItself();
            core.takeWakeOps();
        }
        blocked.signal(READ | WRITE);
        life.releaseIfClosed();
    }

    @Override
    public InetSocketAddress localAddress() {
        return life.local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return life.remote;
    }

    @Override
    public ConnectionInfo info() {
        synchronized (core) {
            long read = core.bytesReceived() - core.qps.unreadBytes() - reader.left();
            long lentRead = core.lending == null ? 0 : core.lending.bytesRead();
            long lentWritten = core.lending == null ? 0 : core.lending.bytesWritten();
            return new ConnectionInfo(
                    ReasonCode.OFFLOADED,
                    "SDP over " + life.fabric.name(),
                    life.fabric.name(),
                    read + lentRead,
                    core.bytesSent() + lentWritten);
        }
    }
}
