package io.sdp4j.offload.aio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The reading and writing half of a channel: each call goes to the stack that carries the
 * connection, an offloaded one's after its arguments were judged as the JDK does.
 */
abstract sealed class DataChannel extends AsynchronousSocketChannel
        permits SwitchAsynchronousSocketChannel {
    DataChannel(SwitchChannelGroup group) {
        super(group.provider());
    }

    /** The offloaded connection; null while the kernel's channel does everything. */
    abstract AsyncStream offloaded();

    abstract AsynchronousSocketChannel kernel();

    /**
     * The kernel's channel, to move data.
     *
     * @param what Reading or Writing
     * @throws IllegalStateException if that is not allowed any more
     */
    abstract AsynchronousSocketChannel kernelFor(String what);

    @Override
    public Future<Integer> read(ByteBuffer dst) {
        AsyncStream stream = offloaded();
        if (stream == null) {
            return kernelFor("Reading").read(dst);
        }
        checkWritable(dst);
        return stream.reads.start(dst, null, 0, TimeUnit.MILLISECONDS, null, null);
    }

    @Override
    public <A> void read(
            ByteBuffer dst,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Integer, ? super A> handler) {
        AsyncStream stream = offloaded();
        if (stream == null) {
            kernelFor("Reading").read(dst, timeout, unit, attachment, handler);
        } else {
            checkHandler(handler);
            checkWritable(dst);
            Future<Integer> _ = stream.reads.start(dst, null, timeout, unit, attachment, handler);
        }
    }

    @Override
    public <A> void read(
            ByteBuffer[] dsts,
            int offset,
            int length,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Long, ? super A> handler) {
        AsyncStream stream = offloaded();
        if (stream == null) {
            kernelFor("Reading").read(dsts, offset, length, timeout, unit, attachment, handler);
        } else {
            checkHandler(handler);
            ByteBuffer[] many = subsequence(dsts, offset, length);
            for (ByteBuffer dst : many) {
                checkWritable(dst);
            }
            Future<Long> _ = stream.reads.start(null, many, timeout, unit, attachment, handler);
        }
    }

    @Override
    public Future<Integer> write(ByteBuffer src) {
        AsyncStream stream = offloaded();
        if (stream == null) {
            return kernelFor("Writing").write(src);
        }
        Objects.requireNonNull(src);
        return stream.writes.start(src, null, 0, TimeUnit.MILLISECONDS, null, null);
    }

    @Override
    public <A> void write(
            ByteBuffer src,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Integer, ? super A> handler) {
        AsyncStream stream = offloaded();
        if (stream == null) {
            kernelFor("Writing").write(src, timeout, unit, attachment, handler);
        } else {
            checkHandler(handler);
            Objects.requireNonNull(src);
            Future<Integer> _ = stream.writes.start(src, null, timeout, unit, attachment, handler);
        }
    }

    @Override
    public <A> void write(
            ByteBuffer[] srcs,
            int offset,
            int length,
            long timeout,
            TimeUnit unit,
            A attachment,
            CompletionHandler<Long, ? super A> handler) {
        AsyncStream stream = offloaded();
        if (stream == null) {
            kernelFor("Writing").write(srcs, offset, length, timeout, unit, attachment, handler);
        } else {
            checkHandler(handler);
            ByteBuffer[] many = subsequence(srcs, offset, length);
            Future<Long> _ = stream.writes.start(null, many, timeout, unit, attachment, handler);
        }
    }

    private static void checkWritable(ByteBuffer dst) {
        if (dst.isReadOnly()) {
            throw new IllegalArgumentException("Read-only buffer");
        }
    }

    private static void checkHandler(Object handler) {
        if (handler == null) {
            throw new NullPointerException("'handler' is null");
        }
    }

    private static ByteBuffer[] subsequence(ByteBuffer[] all, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, all.length);
        return length == all.length ? all : Arrays.copyOfRange(all, offset, offset + length);
    }

    @Override
    public AsynchronousSocketChannel shutdownInput() throws IOException {
        AsyncStream stream = offloaded();
        if (stream == null) {
            kernel().shutdownInput();
        } else {
            stream.shutdownInput();
        }
        return this;
    }

    @Override
    public AsynchronousSocketChannel shutdownOutput() throws IOException {
        AsyncStream stream = offloaded();
        if (stream == null) {
            kernel().shutdownOutput();
        } else {
            stream.shutdownOutput();
        }
        return this;
    }
}
