package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.SocketEvents;
import io.sdp4j.offload.jdk.Unchecked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.function.BiFunction;
import sun.nio.ch.Util;

/**
 * The reading and writing half of a channel: each call goes to the stack that carries the
 * connection. Bytes that an offloaded one moves are told to the flight recorder as the JDK's own
 * channels tell it (behaviour 90).
 */
abstract sealed class DataSocketChannel extends DescribedSocketChannel
        implements BiFunction<FileChannel, long[], Long> permits PolledSocketChannel {
    /** Longest transfer of a file that is read in pieces. */
    private static final int READ_RATHER_THAN_MAPPED = 256 << 10;

    private static final int PIECE_BYTES = 64 << 10;

    DataSocketChannel(SelectorProvider provider, ChannelOptions options) {
        super(provider, options);
    }

    /** After a call of the kernel's channel, which may have closed itself (behaviour 36). */
    abstract void followKernel();

    /** The connection that the kernel carries and that may move; null = there is none. */
    abstract MovingChannel moving();

    /**
     * The stream that carries the rest of a connection that has moved in one direction at least.
     */
    abstract ChannelStream movedStream();

    /** Something on this side has changed what is ready. */
    abstract void settle();

    @Override
    public int read(ByteBuffer dst) throws IOException {
        ChannelStream s = connectedStream();
        MovingChannel m = s == null ? moving() : null;
        if (m != null && dst.hasRemaining()) {
            int n = m.read(dst);
            if (n != MovingChannel.MOVED) {
                return n > 0 && dst.hasRemaining() && m.goesOnNow()
                        ? n + Math.max(movedStream().read(dst), 0)
                        : n;
            }
            s = movedStream();
        } else if (m != null) {
            s = m.resetStream();
        }
        if (s != null) {
            long start = SocketEvents.readStart();
            int n = s.read(dst);
            recordRead(start, n, 0);
            return n;
        }
        try {
            return kernel().read(dst);
        } finally {
            followKernel();
        }
    }

    @Override
    public long read(ByteBuffer[] dsts, int offset, int length) throws IOException {
        ChannelStream s = connectedStream();
        MovingChannel m = s == null ? moving() : null;
        if (m != null && ChannelBuffers.any(dsts, offset, length)) {
            long n = m.read(dsts, offset, length);
            if (n != MovingChannel.MOVED) {
                return n > 0 && ChannelBuffers.any(dsts, offset, length) && m.goesOnNow()
                        ? n + Math.max(movedStream().read(dsts, offset, length), 0)
                        : n;
            }
            s = movedStream();
        } else if (m != null) {
            s = m.resetStream();
        }
        if (s != null) {
            long start = SocketEvents.readStart();
            long n = s.read(dsts, offset, length);
            recordRead(start, n, 0);
            return n;
        }
        try {
            return kernel().read(dsts, offset, length);
        } finally {
            followKernel();
        }
    }

    @Override
    public int write(ByteBuffer src) throws IOException {
        ChannelStream s = connectedStream();
        MovingChannel m = s == null ? moving() : null;
        if (m != null) {
            long n = m.write(src.hasRemaining(), () -> kernel().write(src));
            if (n != MovingChannel.MOVED) {
                return (int) n;
            }
            s = movedStream();
        }
        if (s != null) {
            long start = SocketEvents.writeStart();
            int n = s.write(src);
            recordWrite(start, n);
            return n;
        }
        try {
            return kernel().write(src);
        } finally {
            followKernel();
        }
    }

    @Override
    public long write(ByteBuffer[] srcs, int offset, int length) throws IOException {
        ChannelStream s = connectedStream();
        MovingChannel m = s == null ? moving() : null;
        if (m != null) {
            boolean some = ChannelBuffers.any(srcs, offset, length);
            long n = m.write(some, () -> kernel().write(srcs, offset, length));
            if (n != MovingChannel.MOVED) {
                return n;
            }
            s = movedStream();
        }
        if (s != null) {
            long start = SocketEvents.writeStart();
            long n = s.write(srcs, offset, length);
            recordWrite(start, n);
            return n;
        }
        try {
            return kernel().write(srcs, offset, length);
        } finally {
            followKernel();
        }
    }

    /**
     * For {@code FileChannel.transferTo} (behaviour 57): where the kernel carries the connection it
     * sends the file, too. Elsewhere short pieces are read; to map them would take longer.
     *
     * @param range position and count, at most what the file holds
     * @return bytes taken; null = to be written as to any other channel
     */
    @Override
    public final Long apply(FileChannel file, long[] range) {
        try {
            ChannelStream s = connectedStream();
            MovingChannel m = s == null ? moving() : null;
            if (m != null) {
                long n = m.sendFile(file, range[0], range[1]);
                if (n != MovingChannel.MOVED) {
                    return n;
                }
                s = movedStream();
            }
            if (s == null) {
                return sendByKernel(file, range[0], range[1]);
            }
            return range[1] <= READ_RATHER_THAN_MAPPED ? send(s, file, range[0], range[1]) : null;
        } catch (IOException e) {
            throw Unchecked.thrown(e);
        }
    }

    private long sendByKernel(FileChannel file, long position, long count) throws IOException {
        try {
            return file.transferTo(position, count, kernel());
        } finally {
            followKernel();
        }
    }

    /** Bytes that a channel that does not block has no room for are not read in vain. */
    private int pieceBytes(ChannelStream s, long left) {
        int most = isBlocking() ? PIECE_BYTES : Math.min(s.room(), PIECE_BYTES);
        return (int) Math.min(left, most);
    }

    private long send(ChannelStream s, FileChannel file, long position, long count)
            throws IOException {
        int bytes = pieceBytes(s, count);
        if (bytes == 0) {
            return 0;
        }
        ByteBuffer piece = Util.getTemporaryDirectBuffer((int) Math.min(count, PIECE_BYTES));
        try {
            long sent = 0;
            boolean more = true;
            for (; bytes > 0 && more; bytes = pieceBytes(s, count - sent)) {
                piece.clear().limit(bytes);
                if (file.read(piece, position + sent) <= 0) {
                    break; // the file has become shorter
                }
                piece.flip();
                try {
                    sent += write(piece);
                } catch (IOException e) {
                    if (sent == 0) {
                        throw e;
                    }
                    return sent; // the next call is told
                }
                more = !piece.hasRemaining();
            }
            return sent;
        } finally {
            Util.releaseTemporaryDirectBuffer(piece);
        }
    }

    /** Of an offloaded connection. */
    final void recordRead(long start, long bytes, long timeoutMillis) throws IOException {
        if (start != SocketEvents.OFF) {
            SocketEvents.read(start, bytes, remoteAddress(), timeoutMillis);
        }
    }

    /** Of an offloaded connection. */
    final void recordWrite(long start, long bytes) throws IOException {
        if (start != SocketEvents.OFF) {
            SocketEvents.written(start, bytes, remoteAddress());
        }
    }

    @Override
    public SocketChannel shutdownInput() throws IOException {
        ChannelStream s = connectedStream();
        MovingChannel m = s == null ? moving() : null;
        if (m != null) {
            m.shutdownInput();
            settle(); // it may have become an offloaded channel meanwhile
        } else if (s == null) {
            kernel().shutdownInput();
        } else if (s.shutInput()) {
            settle();
        } else {
            throw new ClosedChannelException();
        }
        return this;
    }

    @Override
    public SocketChannel shutdownOutput() throws IOException {
        ChannelStream s = connectedStream();
        MovingChannel m = s == null ? moving() : null;
        if (m != null) {
            m.shutdownOutput();
            settle();
        } else if (s == null) {
            kernel().shutdownOutput();
        } else if (s.shutOutput()) {
            settle();
        } else {
            throw new ClosedChannelException();
        }
        return this;
    }
}
