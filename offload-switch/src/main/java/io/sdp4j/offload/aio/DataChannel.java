package io.sdp4j.offload.aio;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * The reading and writing half of a channel: each call goes to the stack that carries the
 * connection.
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
        return stream == null ? kernelFor("Reading").read(dst) : stream.read(dst);
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
            stream.read(dst, timeout, unit, attachment, handler);
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
            stream.read(dsts, offset, length, timeout, unit, attachment, handler);
        }
    }

    @Override
    public Future<Integer> write(ByteBuffer src) {
        AsyncStream stream = offloaded();
        return stream == null ? kernelFor("Writing").write(src) : stream.write(src);
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
            stream.write(src, timeout, unit, attachment, handler);
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
            stream.write(srcs, offset, length, timeout, unit, attachment, handler);
        }
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
