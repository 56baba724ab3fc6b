package io.sdp4j.offload.nio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Began;
import io.sdp4j.offload.StreamHandle;
import io.sdp4j.offload.Upgrade;
import io.sdp4j.offload.UpgradePolicy;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.FileChannel;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import sun.nio.ch.Carrier;
import sun.nio.ch.ConnectionChannel;

/**
 * The connection of a channel that runs on the kernel's TCP and may move onto a stream, see {@link
 * Upgrade}.
 *
 * <p>Shape: until a direction has moved, its calls go to the kernel, under the data lock of that
 * direction and with a count of the bytes. When both directions have moved, the channel {@linkplain
 * SwitchedConnection#adoptMoved becomes} an offloaded one, selectors included. The change needs
 * both data locks. The provider's thread makes it if both are free, else the thread that gives one
 * back.
 */
final class MovingChannel extends Upgrade implements Carrier {
    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    private final Carrier kernel;
    private volatile boolean endedByTcp; // the output: the peer reads its end from TCP
    private volatile ChannelStream moved; // set once
    private volatile boolean adopted; // set under both data locks
    private final AtomicInteger attempts = new AtomicInteger(); // calls of left not yet served

    MovingChannel(
            SwitchedConnection connection,
            Decision decision,
            AcceptedTable table,
            ConnectionInfo kernelInfo,
            Began began) {
        super(connection.provider.owner, decision, table, kernelInfo, began);
        this.connection = connection;
        this.channel = connection.channel;
        this.kernel = channel.kernel();
    }

    /** One call to the kernel, for at most {@code room} bytes. */
    @FunctionalInterface
    private interface KernelRead {
        int read(int room) throws IOException;
    }

    /** One call to the kernel. */
    @FunctionalInterface
    private interface KernelWrite {
        long write() throws IOException;
    }

    /** The result of a read or write whose direction has moved: nothing was done by TCP. */
    private static final int MOVED = -2;

    @Override
    protected InetSocketAddress local() {
        return (InetSocketAddress) channel.kernelLocalAddress();
    }

    @Override
    protected InetSocketAddress remote() {
        return (InetSocketAddress) channel.kernelRemoteAddress();
    }

    @Override
    protected UpgradePolicy.Waits waits() {
        if (!channel.isBlocking()) {
            return UpgradePolicy.Waits.SELECTOR;
        }
        return connection.virtual ? UpgradePolicy.Waits.VIRTUAL_THREAD : UpgradePolicy.Waits.THREAD;
    }

    @Override
    protected FileDescriptor fileDescriptor() {
        return channel.descriptor();
    }

    @Override
    protected StreamHandle take(OffloadStream stream) throws IOException {
        assert Thread.holdsLock(this);
        ChannelStream taken = connection.takeMoved(stream, reset);
        moved = taken;
        return taken;
    }

    @Override
    protected StreamHandle taken() {
        return moved;
    }

    @Override
    protected void onLimitKnown() {
        gaveLockBack();
        if (!adopted && handover.finished() && channel.isBlocking()) {
            try {
                synchronized (this) { // excludes a close, after which the number may be reused
                    if (!isClosed()) {
                        channel.endKernelInput(); // wakes a reader: TCP brings nothing more
                    }
                }
            } catch (IOException e) {
                // the socket is closed or broken, which the reader finds out itself
            }
        }
    }

    /**
     * Makes this an offloaded channel if every direction has moved that will. Called without a
     * lock, by a thread that has given a data lock back or has changed which direction has moved.
     */
    @Override
    protected void gaveLockBack() {
        ChannelStream stream = moved;
        if (stream == null) {
            return;
        }
        // One thread at a time tries, and tries again if others came meanwhile. Two threads that
        // try at once may each hold one of the locks for a moment, and both give up.
        if (!adopted && attempts.getAndIncrement() == 0) {
            int seen;
            do {
                seen = attempts.get();
                try {
                    tryAdopt();
                } catch (OutOfMemoryError e) {
                    // it would hide what the caller has read or written; a later call tries again
                } catch (RuntimeException | Error e) {
                    attempts.set(0); // else no later call would try
                    throw e;
                }
            } while (!attempts.compareAndSet(seen, 0));
        }
        stream.leave();
    }

    @Override
    public void earlyLockGivenBack() {
        earlyCallLeft();
    }

    @Override
    public void goesOnAfter(SocketException e) {
        reset.withhold(e);
    }

    private void tryAdopt() {
        if (adopted || !channel.isOpen() || !writeLock.tryLock()) {
            return;
        }
        try {
            // even if the input does not move yet: a call of moveOutNow() may have met this lock
            boolean out = moveOut() || endedByTcp;
            if (out && readLock.tryLock()) {
                try {
                    adopt();
                } finally {
                    readLock.unlock();
                }
            }
        } finally {
            writeLock.unlock();
            if (adopted) { // by this call, even if it failed half-way
                connection.nudgeMoved();
            }
        }
    }

    private void adopt() {
        // bytes of TCP that are still unread do not matter once the input was shut
        if (!handover.finished() && !(moved.inputShut() && handover.limitKnown())) {
            return;
        }
        handover.moveIn();
        adopted = true;
        connection.adoptMoved();
    }

    private void noteUse() {
        if (neverMoves()) {
            connection.stayOnKernel();
        } else if (staysUnseen()) {
            channel.carriedBy(null); // from the next call on; this object still says why
        }
        connection.noteThread();
    }

    /**
     * Reads once by TCP. If that call takes the last bytes of TCP and leaves room, also reads the
     * bytes that the stream has ready behind them.
     *
     * @param wanted bytes, at least 1
     * @param one the buffer that {@code call} reads into; null if it reads into {@code several} or
     *     an array
     * @return the bytes that {@code call} and the stream gave, or -1; or {@link #MOVED}
     */
    private int read(
            int wanted,
            KernelRead call,
            ByteBuffer one,
            ByteBuffer[] several,
            int offset,
            int length)
            throws IOException {
        noteUse();
        readLock.lock();
        try {
            while (true) {
                int room = handover.inMoved() ? 0 : handover.room(wanted);
                if (room == 0) {
                    return MOVED;
                }
                int n = readOnce(room, call);
                if (n > 0) {
                    received(n);
                }
                if (n >= 0) {
                    boolean more = n > 0 && n < wanted && (one != null || several != null);
                    return more && goesOnNow() ? n + moved.readOn(one, several, offset, length) : n;
                }
                if (n == -1 && (inputShut || !goesOn())) {
                    if (!inputShut && leftUnread() && reset.tellsReader()) {
                        throw new SocketException("Connection reset");
                    }
                    return -1;
                }
            }
        } finally {
            readLock.unlock();
            gaveLockBack();
        }
    }

    /**
     * Returns the result of {@code call}, or {@link #MOVED} if TCP was cut but the stream goes on.
     */
    private int readOnce(int room, KernelRead call) throws IOException {
        try {
            return call.read(room);
        } catch (SocketException e) {
            if (inputShut || !goesOn()) {
                if (reset.tellsReader(e)) {
                    throw e;
                }
                return -1;
            }
            reset.withhold(e);
            return MOVED;
        }
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        if (!dst.hasRemaining()) {
            return readsNothing().read(dst);
        }
        int n = read(dst.remaining(), room -> readAtMost(room, dst), dst, null, 0, 0);
        return n == MOVED ? moved.read(dst) : n;
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        if (!ChannelBuffers.any(dsts, offset, length)) {
            return readsNothing().read(dsts, offset, length);
        }
        long all = 0;
        for (int i = offset; i < offset + length; i++) {
            all += dsts[i].remaining();
        }
        int n =
                read(
                        (int) Math.min(all, Integer.MAX_VALUE),
                        room -> (int) readAtMost(room, dsts, offset, length),
                        null,
                        dsts,
                        offset,
                        length);
        return n == MOVED ? moved.read(dsts, offset, length) : n;
    }

    @Override
    public int blockingRead(byte[] b, int off, int len, long nanos) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return kernel.blockingRead(b, off, 0, nanos);
        }
        long startNanos = nanos > 0 ? System.nanoTime() : 0;
        int n = read(len, room -> kernel.blockingRead(b, off, room, nanos), null, null, 0, 0);
        if (n != MOVED) {
            return n;
        }
        long left = nanos > 0 ? Math.max(1, nanos - (System.nanoTime() - startNanos)) : nanos;
        return moved.blockingRead(b, off, len, left);
    }

    /**
     * Returns the carrier for a read without room. It is the stream if the application knows of a
     * reset, or a reader is still to be told: the stream knows which, while TCP would report the
     * reset once more.
     */
    private Carrier readsNothing() {
        ChannelStream stream = moved;
        return stream != null && (reset.known() || reset.withheld()) ? stream : kernel;
    }

    private int readAtMost(int room, ByteBuffer dst) throws IOException {
        int limit = dst.limit();
        dst.limit(dst.position() + room);
        try {
            return kernel.read(dst);
        } finally {
            dst.limit(limit);
        }
    }

    private long readAtMost(int room, ByteBuffer[] dsts, int offset, int length)
            throws IOException {
        int[] limits = new int[length];
        int left = room;
        for (int i = 0; i < length; i++) {
            ByteBuffer dst = dsts[offset + i];
            limits[i] = dst.limit();
            dst.limit(dst.position() + Math.min(left, dst.remaining()));
            left -= dst.remaining();
        }
        try {
            return kernel.read(dsts, offset, length);
        } finally {
            for (int i = length - 1; i >= 0; i--) { // backwards: a buffer may occur twice
                dsts[offset + i].limit(limits[i]);
            }
        }
    }

    /** Whether the stream has bytes ready behind the last ones of TCP, for the same read. */
    private boolean goesOnNow() throws IOException {
        ChannelStream stream = moved;
        return stream != null && handover.finished() && stream.availableBytes() > 0;
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        long n = write(src.hasRemaining(), false, () -> kernel.write(src));
        return n == MOVED ? moved.write(src) : (int) n;
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        boolean some = ChannelBuffers.any(srcs, offset, length);
        long n = write(some, false, () -> kernel.write(srcs, offset, length));
        return n == MOVED ? moved.write(srcs, offset, length) : n;
    }

    @Override
    public void blockingWrite(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        long n =
                write(
                        len > 0,
                        true,
                        () -> {
                            kernel.blockingWrite(b, off, len);
                            return len;
                        });
        if (n == MOVED) {
            moved.blockingWrite(b, off, len);
        }
    }

    @Override
    public long send(FileChannel file, long position, int count) throws IOException {
        long n = write(count > 0, true, () -> kernel.send(file, position, count));
        return n == MOVED ? moved.send(file, position, count) : n;
    }

    /**
     * Writes once by TCP. Returns the result of {@code call}, or {@link #MOVED}.
     *
     * @param some whether there is a byte to write
     * @param parts whether {@code call} may fail after a part of it has gone
     */
    private long write(boolean some, boolean parts, KernelWrite call) throws IOException {
        noteUse();
        writeLock.lock();
        try {
            if (moveOut()) {
                return MOVED;
            }
            if (some && outputShut && connection.takeResetOfTcp(false)) {
                reset.writerTook(); // the call takes the reset, but reports a broken pipe
            }
            long n = writeOnce(parts, call);
            if (n > 0) {
                sent(n);
            }
            return n;
        } finally {
            writeLock.unlock();
            wrote();
        }
    }

    private long writeOnce(boolean parts, KernelWrite call) throws IOException {
        try {
            return call.write();
        } catch (IOException e) {
            // an interrupt ends each call so, even if all has gone
            if (parts || e instanceof AsynchronousCloseException) {
                sentUncounted();
            }
            throw reset.tellsWriter(e) ? e : new IOException("Broken pipe", e);
        } catch (Error e) {
            if (parts) {
                sentUncounted();
            }
            throw e;
        }
    }

    @Override
    public int available() throws IOException {
        if (handover.inMoved()) {
            return moved.available();
        }
        int n = kernel.available();
        ChannelStream stream = moved;
        return stream != null && handover.left() == n && !inputShut
                ? n + Math.max(stream.availableBytes(), 0)
                : n;
    }

    @Override
    public int sendUrgent(byte b) throws IOException {
        int n = sendUrgentByTcp(b);
        return n == MOVED ? moved.sendUrgent(b) : n;
    }

    private int sendUrgentByTcp(byte b) throws IOException {
        writeLock.lock();
        try {
            return urgentByStream(true) ? MOVED : kernel.sendUrgent(b);
        } finally {
            writeLock.unlock();
            wrote();
        }
    }

    @Override
    public boolean isInputShut() {
        return inputShut;
    }

    @Override
    public boolean isOutputShut() {
        return outputShut;
    }

    private void ensureConnected() throws IOException {
        if (!channel.isConnected()) { // also if it is closed
            channel.ensureOpen();
            throw new NotYetConnectedException();
        }
        channel.ensureOpen();
    }

    @Override
    public void shutdownInput() throws IOException {
        ensureConnected();
        inputShut = true;
        if (moved != null) {
            moved.shutInput();
        }
        if (!adopted) {
            try {
                kernel.shutdownInput();
            } catch (IOException e) {
                if (!adopted) {
                    throw e;
                }
            }
        }
        gaveLockBack();
        connection.selectorSide.settle(); // it may have become an offloaded channel meanwhile
    }

    /** Ends both TCP and the stream, as the peer may wait for the end of either. */
    @Override
    public void shutdownOutput() throws IOException {
        ensureConnected();
        outputShut = true;
        endOut();
        if (moved != null) {
            moved.shutOutput();
        }
        if (!adopted) {
            try {
                kernel.shutdownOutput();
                endedByTcp = true;
            } catch (IOException e) {
                if (!handover.outMoved()) {
                    throw e;
                }
            }
        }
        gaveLockBack();
        connection.selectorSide.settle();
    }

    @Override
    protected void endKernelOutput() throws IOException {
        if (!adopted) {
            channel.shutKernelOutputAtClose();
        }
    }
}
