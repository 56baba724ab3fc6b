package io.sdp4j.offload.nio;

import io.sdp4j.offload.OpenStream;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.IllegalBlockingModeException;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reads and writes of an offloaded channel, blocking or not, as {@code SocketChannelImpl} has them
 * on top of a descriptor.
 *
 * <p>A blocking operation announces itself to the channel before it moves a byte (NIO-22), and its
 * thread sleeps in the fabric, not in a selector.
 */
final class ChannelStream extends OpenStream {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final SwitchSocketChannel channel;
    private final Targets targets = new Targets(); // readLock
    private final Sources sources = new Sources(); // writeLock
    private final BlockingLoan readLoan; // readLock
    private final BlockingLoan writeLoan; // writeLock
    private SocketException
            untold; // writeLock: for the next write, as this one had moved something
    private boolean reset; // readLock

    ChannelStream(
            SwitchSocketChannel channel,
            OffloadStream stream,
            SwitchCounters counters,
            ReentrantLock readLock,
            ReentrantLock writeLock) {
        super(stream, counters, readLock, writeLock);
        this.channel = channel;
        this.readLoan = new BlockingLoan(stream, OffloadStream.READ);
        this.writeLoan = new BlockingLoan(stream, OffloadStream.WRITE);
    }

    /** Where the data of one call goes to or comes from, in one or several buffers. */
    private interface Transfer {
        /** What moves now; 0 = nothing. */
        int move() throws IOException;

        /** Whether there is anything left to move. */
        boolean more();
    }

    int read(ByteBuffer dst) throws IOException {
        Objects.requireNonNull(dst);
        int n = 0;
        readLock.lock();
        try {
            boolean blocking = beginRead();
            try {
                if (inputShut()) {
                    n = -1;
                } else {
                    checkWritable(dst);
                    boolean lent = blocking && dst.hasRemaining() && readLoan.lend(dst);
                    try {
                        n = stream.tryRead(dst);
                        if (n == 0 && blocking && dst.hasRemaining()) {
                            n = readSlowly(new OneTarget(dst), NO_LIMIT);
                        }
                    } finally {
                        if (lent) {
                            readLoan.end();
                        }
                    }
                }
            } catch (SocketException e) {
                n = readFailed(e);
            } finally {
                channel.leave(blocking, n > 0);
            }
        } finally {
            readLock.unlock();
            leave();
        }
        return n <= 0 && inputShut() ? -1 : n;
    }

    long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, dsts.length);
        int n = 0;
        readLock.lock();
        try {
            boolean blocking = beginRead();
            try {
                if (inputShut()) {
                    n = -1;
                } else {
                    targets.of(dsts, offset, length);
                    n = targets.move();
                    if (n == 0 && blocking && targets.more()) {
                        n = readSlowly(targets, NO_LIMIT);
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
            leave();
        }
        return n <= 0 && inputShut() ? -1 : n;
    }

    /**
     * For the adaptor: reads at least one byte.
     *
     * @param nanos upper bound; 0 = none
     */
    int blockingRead(byte[] b, int off, int len, long nanos) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return 0;
        }
        int n = 0;
        readLock.lock();
        try {
            if (!channel.isBlocking()) {
                channel.ensureOpen();
                throw new IllegalBlockingModeException();
            }
            boolean blocking = beginRead();
            try {
                n =
                        inputShut()
                                ? -1
                                : readSlowly(
                                        new OneTarget(ByteBuffer.wrap(b, off, len)),
                                        nanos > 0 ? nanos : NO_LIMIT);
            } catch (SocketException e) {
                n = readFailed(e);
            } finally {
                channel.leave(blocking, n > 0);
            }
        } finally {
            readLock.unlock();
            leave();
        }
        return n <= 0 && inputShut() ? -1 : n;
    }

    private static void checkWritable(ByteBuffer dst) {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    /** Whether the operation may wait. */
    private boolean beginRead() throws IOException {
        channel.ensureOpen();
        boolean blocking = channel.isBlocking();
        channel.enter(blocking);
        if (reset) {
            channel.leave(blocking, false);
            throw new SocketException("Connection reset");
        }
        return blocking;
    }

    /** Waits until something moves, the channel is closed or its input shut: then 0. */
    private int readSlowly(Transfer target, long nanos) throws IOException {
        long deadlineNanos = nanos == NO_LIMIT ? 0 : System.nanoTime() + nanos;
        long leftNanos = nanos;
        int n = 0;
        while (channel.isOpen() && !inputShut()) {
            n = target.move();
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

    /** A reset stays one (NET-13), but input that was shut is at its end. */
    private int readFailed(SocketException e) throws SocketException {
        reset |= "Connection reset".equals(e.getMessage());
        if (inputShut()) {
            return -1;
        }
        throw e;
    }

    int write(ByteBuffer src) throws IOException {
        Objects.requireNonNull(src);
        int n = 0;
        writeLock.lock();
        try {
            boolean blocking = beginWrite();
            try {
                if (!outputShut()) {
                    boolean may = blocking && untold == null && src.hasRemaining();
                    boolean lent = may && writeLoan.lend(src);
                    try {
                        n = src.hasRemaining() ? tellOr(src) : 0;
                        if (blocking && src.hasRemaining()) {
                            n += writeSlowly(new OneSource(src), n);
                        }
                    } finally {
                        if (lent) {
                            writeLoan.end();
                        }
                    }
                }
            } catch (SocketException e) {
                writeFailed(e);
            } finally {
                channel.leave(blocking, n > 0);
            }
        } finally {
            writeLock.unlock();
            leave();
        }
        return written(n);
    }

    long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, srcs.length);
        int n = 0;
        writeLock.lock();
        try {
            boolean blocking = beginWrite();
            try {
                if (!outputShut()) {
                    sources.of(srcs, offset, length);
                    if (sources.more()) {
                        tell();
                    }
                    n = sources.move();
                    if (blocking && sources.more()) {
                        n += writeSlowly(sources, n);
                    }
                }
            } catch (SocketException e) {
                writeFailed(e);
            } finally {
                sources.clear();
                channel.leave(blocking, n > 0);
            }
        } finally {
            writeLock.unlock();
            leave();
        }
        return written(n);
    }

    /** For the adaptor: writes all of it. */
    void blockingWrite(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return;
        }
        int n = 0;
        writeLock.lock();
        try {
            if (!channel.isBlocking()) {
                channel.ensureOpen();
                throw new IllegalBlockingModeException();
            }
            boolean blocking = beginWrite();
            try {
                tell();
                n = writeSlowly(new OneSource(ByteBuffer.wrap(b, off, len)), 0);
                tell();
            } catch (SocketException e) {
                writeFailed(e);
            } finally {
                channel.leave(blocking, n >= len);
            }
        } finally {
            writeLock.unlock();
            leave();
        }
        written(n);
    }

    /** Whether the operation may wait. */
    private boolean beginWrite() throws IOException {
        channel.ensureOpen();
        boolean blocking = channel.isBlocking();
        channel.enter(blocking);
        return blocking;
    }

    /**
     * Waits until all has moved, the channel is closed or its output shut.
     *
     * @param before what has moved already: then a failure is left for the next write to tell
     */
    private int writeSlowly(Transfer source, int before) throws IOException {
        int n = 0;
        try {
            while (source.more() && channel.isOpen() && !outputShut()) {
                int moved = source.move();
                n += moved;
                if (moved == 0) {
                    stream.await(OffloadStream.WRITE, NO_LIMIT);
                }
            }
        } catch (SocketException e) {
            if (before + n == 0) {
                throw e;
            }
            untold = e;
        }
        return n;
    }

    /** Throws what an earlier write had no way to say. */
    private void tell() throws SocketException {
        SocketException e = untold;
        if (e != null) {
            untold = null;
            throw e;
        }
    }

    private int tellOr(ByteBuffer src) throws IOException {
        tell();
        return stream.tryWrite(src);
    }

    private void writeFailed(SocketException e) throws IOException {
        if (!outputShut()) {
            throw new IOException(e.getMessage(), e); // as the JDK: not a SocketException
        }
    }

    private int written(int n) throws AsynchronousCloseException {
        if (n <= 0 && outputShut()) {
            throw new AsynchronousCloseException();
        }
        return n;
    }

    /** For the adaptor; false = no room. */
    boolean sendUrgent(int value) throws IOException {
        writeLock.lock();
        try {
            channel.ensureOpen();
            if (outputShut()) {
                throw new AsynchronousCloseException();
            }
            return stream.tryWriteUrgent(value);
        } finally {
            writeLock.unlock();
            leave();
        }
    }

    private final class OneTarget implements Transfer {
        private final ByteBuffer dst;

        OneTarget(ByteBuffer dst) {
            this.dst = dst;
        }

        @Override
        public int move() throws IOException {
            return stream.tryRead(dst);
        }

        @Override
        public boolean more() {
            return dst.hasRemaining();
        }
    }

    private final class OneSource implements Transfer {
        private final ByteBuffer src;

        OneSource(ByteBuffer src) {
            this.src = src;
        }

        @Override
        public int move() throws IOException {
            return stream.tryWrite(src);
        }

        @Override
        public boolean more() {
            return src.hasRemaining();
        }
    }

    /** The buffers of one scattering or gathering call; used again by the next. */
    private abstract static class Several implements Transfer {
        ByteBuffer[] buffers;
        int at;
        private int end;

        void of(ByteBuffer[] all, int offset, int length) {
            buffers = all;
            at = offset;
            end = offset + length;
            for (int i = offset; i < end; i++) {
                check(all[i]);
            }
        }

        void clear() {
            buffers = null;
            end = 0;
            at = 0;
        }

        void check(ByteBuffer buffer) {
            Objects.requireNonNull(buffer);
        }

        /** For the buffer at {@code at}, which has something remaining. */
        abstract int moveOne() throws IOException;

        /** A failure after some bytes is told by the next call (NET-30). */
        abstract void failedLater(SocketException e);

        @Override
        public int move() throws IOException {
            int total = 0;
            while (more()) {
                int n;
                try {
                    n = moveOne();
                } catch (SocketException e) {
                    if (total == 0) {
                        throw e;
                    }
                    failedLater(e);
                    return total;
                }
                if (n <= 0) {
                    return total > 0 ? total : n;
                }
                total += n;
            }
            return total;
        }

        @Override
        public boolean more() {
            while (at < end && !buffers[at].hasRemaining()) {
                at++;
            }
            return at < end;
        }
    }

    private final class Targets extends Several {
        @Override
        void check(ByteBuffer buffer) {
            checkWritable(buffer);
        }

        @Override
        int moveOne() throws IOException {
            return stream.tryRead(buffers[at]);
        }

        @Override
        void failedLater(SocketException e) {
            reset |= "Connection reset".equals(e.getMessage());
        }
    }

    private final class Sources extends Several {
        @Override
        int moveOne() throws IOException {
            return stream.tryWrite(buffers[at]);
        }

        @Override
        void failedLater(SocketException e) {
            // the stream is broken and says so again
        }
    }
}
