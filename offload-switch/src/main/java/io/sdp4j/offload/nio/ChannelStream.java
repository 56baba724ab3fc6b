package io.sdp4j.offload.nio;

import io.sdp4j.offload.StreamHandle;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.ToldReset;
import io.sdp4j.offload.jdk.BorrowedBuffers;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import sun.nio.ch.Carrier;
import sun.nio.ch.ConnectionChannel;

/**
 * Reads and writes of an offloaded channel, blocking or not, as {@code SocketChannelImpl} does them
 * on a descriptor.
 *
 * <p>A blocking operation announces itself to the channel before it moves a byte (behaviour 37),
 * and its thread sleeps in the fabric, not in a selector. {@code targets} belongs to the holder of
 * the read lock, {@code sources} and {@code untold} to that of the write lock.
 */
final class ChannelStream extends StreamHandle implements Carrier {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    private final ToldReset reset;
    private final Targets targets = new Targets(); // readLock
    private final Sources sources = new Sources(); // writeLock
    private SocketException
            untold; // writeLock: left for the next write, as an earlier one had moved something

    ChannelStream(
            SwitchedConnection connection,
            OffloadStream stream,
            SwitchCounters counters,
            ReentrantLock readLock,
            ReentrantLock writeLock,
            ToldReset reset) {
        super(stream, counters, readLock, writeLock);
        this.connection = connection;
        this.channel = connection.channel;
        this.reset = reset;
        connection.noteThread(); // this thread may have connected the channel
    }

    /** Cuts the connection as if the peer had reset it. */
    void cut() {
        boolean _ = reset.tellsReader();
        close(0);
    }

    /** Called after a data lock was given back: a close, or a move, may wait for it. */
    private void left() {
        if (writeLock.isHeldByCurrentThread()) {
            return; // within the transfer of a file, which comes here at its end
        }
        MovingChannel moving = connection.moving;
        if (moving == null) {
            leave();
        } else {
            moving.gaveLockBack();
        }
    }

    @Override
    public int read(ByteBuffer dst) throws IOException {
        long start = ConnectionChannel.start(true);
        int n = read(Objects.requireNonNull(dst), null, 0, 0, false, NO_LIMIT);
        channel.record(true, start, n);
        return n;
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        long start = ConnectionChannel.start(true);
        int n = read(null, dsts, offset, length, false, NO_LIMIT);
        channel.record(true, start, n);
        return n;
    }

    @Override
    public int blockingRead(byte[] b, int off, int len, long nanos) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        return len == 0
                ? 0
                : read(
                        ByteBuffer.wrap(b, off, len),
                        null,
                        0,
                        0,
                        true,
                        nanos > 0 ? nanos : NO_LIMIT);
    }

    /** Reads into one buffer, or several; see {@link ChannelBuffers#of}. */
    private int read(
            ByteBuffer one,
            ByteBuffer[] several,
            int offset,
            int length,
            boolean mustBlock,
            long nanos)
            throws IOException {
        int n = 0;
        readLock.lock();
        try {
            if (mustBlock) {
                checkBlocking();
            }
            boolean blocking = beginRead();
            try {
                if (inputShut()) {
                    n = -1;
                } else {
                    targets.of(one, several, offset, length, connection.virtual);
                    boolean lent = blocking && targets.lend(stream, OffloadStream.READ);
                    try {
                        n = targets.move();
                        if (n == 0 && blocking && targets.more()) {
                            n = readSlowly(nanos);
                        }
                        if (n < 0 && !inputShut()) {
                            takeResetOfTcp();
                        }
                    } finally {
                        if (lent) {
                            stream.reclaim(OffloadStream.READ, false);
                        }
                    }
                }
            } catch (SocketException e) {
                n = readFailed(e);
            } finally {
                targets.clear();
                channel.leave(blocking, n > 0);
            }
        } finally {
            readLock.unlock();
            left();
        }
        return n <= 0 && inputShut() ? -1 : n;
    }

    /**
     * Reads the bytes that the stream has ready, behind the last ones of TCP that the same call has
     * read. An end or a failure is left to the next read.
     */
    int readOn(ByteBuffer one, ByteBuffer[] several, int offset, int length) {
        assert readLock.isHeldByCurrentThread();
        if (closing() || inputShut()) {
            return 0;
        }
        long start = ConnectionChannel.start(true);
        int n = 0;
        try {
            targets.of(one, several, offset, length, false);
            n = Math.max(targets.move(), 0);
        } catch (SocketException e) {
            boolean _ = reset.tellsReader(e);
        } catch (IOException | IllegalStateException e) {
            n = 0; // a fault of the buffer, which the next read finds, too
        } finally {
            targets.clear();
        }
        if (n > 0) {
            channel.record(true, start, n);
        }
        return n;
    }

    private void takeResetOfTcp() throws IOException {
        if ((reset.withheld() || connection.takeResetOfTcp(peerVanished()))
                && reset.tellsReader()) {
            throw new SocketException("Connection reset");
        }
    }

    private void checkBlocking() throws IOException {
        if (!channel.isBlocking()) {
            channel.ensureOpen();
            throw new IllegalBlockingModeException();
        }
    }

    /** Whether the operation may wait. */
    private boolean beginRead() throws IOException {
        channel.ensureOpen();
        boolean blocking = channel.isBlocking();
        channel.enter(blocking);
        connection.noteThread();
        if (reset.readerKnows() && !inputShut()) {
            channel.leave(blocking, false);
            throw new SocketException("Connection reset");
        }
        return blocking;
    }

    /** Waits until something moves. Returns 0 if the channel is closed or its input shut. */
    private int readSlowly(long nanos) throws IOException {
        long deadlineNanos = nanos == NO_LIMIT ? 0 : System.nanoTime() + nanos;
        long leftNanos = nanos;
        int n = 0;
        while (channel.isOpen() && !inputShut()) {
            n = targets.move();
            if (n != 0) {
                break;
            }
            if (nanos != NO_LIMIT) {
                leftNanos = deadlineNanos - System.nanoTime();
                if (leftNanos <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
            }
            stream.await(OffloadStream.READ, leftNanos);
        }
        return n;
    }

    /**
     * Throws the failure of a read, or returns -1. A reset is thrown, by every later read too
     * (behaviour 17), unless a write was told of it. Input that was shut is at its end. Failures
     * other than a reset (ETIMEDOUT) are plain IOExceptions, as in the JDK's channels.
     */
    private int readFailed(SocketException e) throws IOException {
        boolean isReset = "Connection reset".equals(e.getMessage());
        if (!reset.tellsReader(e) || inputShut()) {
            return -1;
        }
        throw isReset ? e : new IOException(e.getMessage(), e);
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        long start = ConnectionChannel.start(false);
        int n = (int) write(Objects.requireNonNull(src), null, 0, 0, false);
        channel.record(false, start, n);
        return n;
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        long start = ConnectionChannel.start(false);
        long n = write(null, srcs, offset, length, false);
        channel.record(false, start, n);
        return n;
    }

    @Override
    public void blockingWrite(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len > 0) {
            long _ = write(ByteBuffer.wrap(b, off, len), null, 0, 0, true);
        }
    }

    /**
     * Writes from one buffer, or several; see {@link ChannelBuffers#of}.
     *
     * @param all whether to write everything, for the socket adaptor; a failure after some bytes is
     *     then thrown at once
     */
    private long write(ByteBuffer one, ByteBuffer[] several, int offset, int length, boolean all)
            throws IOException {
        long n = 0;
        boolean complete = false;
        writeLock.lock();
        try {
            if (all) {
                checkBlocking();
            }
            boolean blocking = beginWrite();
            try {
                sources.of(one, several, offset, length, connection.virtual);
                if (outputShut()) {
                    if (all) {
                        throw new ClosedChannelException();
                    }
                    if (sources.more()) { // an empty write asks nothing
                        if (connection.takeResetOfTcp(false)) {
                            reset.writerTook();
                        }
                        int _ = sources.move(); // moves nothing, but takes a reset's news
                    }
                } else {
                    if (sources.more()) {
                        tell();
                        if (reset.known()) {
                            throw new SocketException("Broken pipe");
                        }
                    }
                    boolean lent = blocking && sources.lend(stream, OffloadStream.WRITE);
                    try {
                        n = sources.move();
                        boolean whole = all || !connection.virtual;
                        if (blocking && sources.more() && (whole || n == 0)) {
                            n += writeSlowly(n, whole);
                        }
                    } finally {
                        if (lent) {
                            stream.reclaim(OffloadStream.WRITE, false);
                        }
                    }
                    complete = all ? !sources.more() : n > 0;
                    if (all) {
                        tell();
                        if (!complete && channel.isOpen()) { // the output was shut meanwhile
                            throw new IOException("Broken pipe");
                        }
                    }
                }
            } catch (SocketException e) {
                writeFailed(e, all);
            } finally {
                sources.clear();
                channel.leave(blocking, complete);
            }
        } finally {
            writeLock.unlock();
            left();
        }
        return written(n);
    }

    /** Whether the operation may wait. */
    private boolean beginWrite() throws IOException {
        channel.ensureOpen();
        boolean blocking = channel.isBlocking();
        channel.enter(blocking);
        connection.noteThread();
        return blocking;
    }

    /**
     * Waits until everything has moved, or, without {@code whole}, something; or until the channel
     * is closed or its output shut.
     *
     * @param before bytes that have moved already; above 0, a failure is left for the next write to
     *     throw
     * @param whole whether everything is to move
     */
    private long writeSlowly(long before, boolean whole) throws IOException {
        long n = 0;
        try {
            while (sources.more() && (whole || n == 0) && channel.isOpen() && !outputShut()) {
                int moved = sources.move();
                n += moved;
                if (moved == 0) {
                    stream.await(OffloadStream.WRITE, NO_LIMIT);
                }
            }
        } catch (IOException e) {
            if (before + n == 0) {
                throw e;
            }
            if (e instanceof SocketException s) {
                untold = s; // else a fault of the buffer, which the next write finds, too
            }
        }
        return n;
    }

    /** Throws the failure that an earlier write could not throw. */
    private void tell() throws SocketException {
        SocketException e = untold;
        if (e != null) {
            untold = null;
            throw e;
        }
    }

    private void writeFailed(SocketException e, boolean all) throws IOException {
        String text = reset.tellsWriter(e) ? e.getMessage() : "Broken pipe";
        if (all || !outputShut()) {
            throw new IOException(text, e); // not a SocketException, as in the JDK
        }
    }

    private long written(long n) throws AsynchronousCloseException {
        if (n <= 0 && outputShut()) {
            throw new AsynchronousCloseException();
        }
        return n;
    }

    @Override
    public int sendUrgent(byte value) throws IOException {
        writeLock.lock();
        try {
            boolean blocking = beginWrite();
            boolean waits = blocking && !connection.virtual;
            boolean sent = false;
            try {
                sent = tryUrgent(value);
                while (!sent && waits && urgentPossible()) {
                    stream.await(OffloadStream.WRITE, NO_LIMIT);
                    sent = tryUrgent(value);
                }
            } catch (SocketException e) {
                writeFailed(e, false);
            } finally {
                channel.leave(blocking, sent);
            }
            if (!sent && blocking && !waits && urgentPossible()) {
                throw new SocketException("No buffer space available");
            }
            if (!sent && outputShut()) {
                throw new AsynchronousCloseException();
            }
            return sent ? 1 : 0;
        } finally {
            writeLock.unlock();
            left();
        }
    }

    private boolean urgentPossible() {
        return channel.isOpen() && !outputShut();
    }

    private boolean tryUrgent(int value) throws IOException {
        return urgentPossible() && stream.tryWriteUrgent(value);
    }

    @Override
    public long send(FileChannel file, long position, int count) throws IOException {
        writeLock.lock(); // held over all pieces, so nothing is written between them
        try {
            return FilePieces.send(this, channel.isBlocking(), file, position, count);
        } finally {
            writeLock.unlock();
            left();
        }
    }

    @Override
    public int available() throws IOException {
        int n = availableBytes();
        if (n < 0) {
            throw new ClosedChannelException();
        }
        return n;
    }

    @Override
    public void shutdownInput() throws IOException {
        if (!shutInput()) {
            throw new ClosedChannelException();
        }
        connection.selectorSide.settle();
    }

    @Override
    public void shutdownOutput() throws IOException {
        if (!shutOutput()) {
            throw new ClosedChannelException();
        }
        connection.selectorSide.settle();
    }

    @Override
    public boolean isInputShut() {
        return inputShut();
    }

    @Override
    public boolean isOutputShut() {
        return outputShut();
    }

    private final class Targets extends ChannelBuffers {
        @Override
        void check(ByteBuffer buffer) {
            if (buffer.isReadOnly()) {
                throw new IllegalArgumentException("Read-only buffer");
            }
        }

        @Override
        int moveOne(ByteBuffer buffer) throws IOException {
            return stream.tryRead(buffer);
        }

        @Override
        int moveSeveral(ByteBuffer[] buffers, int from, int to) throws IOException {
            int total = 0;
            for (int i = from; i < to; i++) {
                if (buffers[i].remaining() > Integer.MAX_VALUE - total) {
                    return total; // as readv, which does not count further either
                }
                int n = 0;
                try {
                    n = buffers[i].hasRemaining() ? moveOne(buffers[i]) : 0;
                } catch (IOException e) {
                    if (total == 0) {
                        throw e;
                    }
                    if (e instanceof SocketException s) {
                        boolean _ = reset.tellsReader(s); // the next read throws it
                    }
                    return total;
                }
                if (n < 0 || buffers[i].hasRemaining()) {
                    return total > 0 ? total + Math.max(n, 0) : n;
                }
                total += n;
            }
            return total;
        }
    }

    private final class Sources extends ChannelBuffers {
        @Override
        ByteBuffer[] each(BorrowedBuffers all, ByteBuffer[] many, int from, int to) {
            return all.apart(many, from, to);
        }

        @Override
        int moveOne(ByteBuffer buffer) throws IOException {
            return stream.tryWrite(buffer);
        }

        @Override
        int moveSeveral(ByteBuffer[] buffers, int from, int to) throws IOException {
            return stream.tryWrite(buffers, from, to);
        }
    }
}
