package io.sdp4j.offload.aio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ConnectionPendingException;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * An asynchronous channel that decides when it connects whether the kernel's TCP or an offload
 * provider carries it. It never moves afterwards (behaviour 96). See {@link AsyncConnection}; here
 * are the calls of the application for data, addresses and options.
 */
public final class SwitchAsynchronousSocketChannel extends AsyncConnection {
    /** An unconnected channel; see {@link AsyncConnection}. */
    SwitchAsynchronousSocketChannel(
            OffloadSwitch owner, SwitchChannelGroup group, AsynchronousSocketChannel kernel) {
        super(owner, group, kernel);
    }

    /** An accepted offloaded connection; see {@link AsyncConnection}. */
    SwitchAsynchronousSocketChannel(
            OffloadSwitch owner,
            SwitchChannelGroup group,
            OffloadStream stream,
            Integer receiveBuffer) {
        super(owner, group, stream, receiveBuffer);
    }

    /**
     * Where a channel's connection runs, and why; empty if the channel has no connection or is not
     * of a switch.
     */
    public static Optional<ConnectionInfo> explain(AsynchronousSocketChannel channel) {
        return channel instanceof SwitchAsynchronousSocketChannel ours
                ? ours.connectionInfo()
                : Optional.empty();
    }

    @Override
    public Future<Void> connect(SocketAddress target) {
        return begin(target, null, null);
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A> void connect(
            SocketAddress target, A attachment, CompletionHandler<Void, ? super A> handler) {
        checkHandler(handler);
        Future<Void> _ = begin(target, attachment, (CompletionHandler<Void, Object>) handler);
    }

    // --- reading and writing: if offloaded, arguments are checked as in the JDK ---

    /**
     * Returns the kernel's channel for a read or write.
     *
     * @param what Reading or Writing
     * @throws IllegalStateException if the connect was cancelled, so that data may not move
     */
    private AsynchronousSocketChannel kernelFor(String what) {
        noteEstablished();
        side.checkNotKilled(what);
        return side.kernel;
    }

    @Override
    public Future<Integer> read(ByteBuffer dst) {
        AsyncStream stream = offloaded;
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
        AsyncStream stream = offloaded;
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
        AsyncStream stream = offloaded;
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
        AsyncStream stream = offloaded;
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
        AsyncStream stream = offloaded;
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
        AsyncStream stream = offloaded;
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
        AsyncStream stream = offloaded;
        if (stream == null) {
            side.kernel.shutdownInput();
        } else {
            stream.shutDown(stream.reads);
        }
        return this;
    }

    @Override
    public AsynchronousSocketChannel shutdownOutput() throws IOException {
        AsyncStream stream = offloaded;
        if (stream == null) {
            side.kernel.shutdownOutput();
        } else {
            stream.shutDown(stream.writes);
        }
        return this;
    }

    // --- addresses and options ---

    @Override
    public AsynchronousSocketChannel bind(SocketAddress address) throws IOException {
        synchronized (stateLock) {
            checkOpen();
            if (state == State.CONNECTING) {
                throw new ConnectionPendingException();
            }
            if (state == State.OFFLOADED) {
                throw new AlreadyBoundException();
            }
            side.bind(address);
        }
        return this;
    }

    private void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        checkOpen();
        synchronized (stateLock) {
            return state == State.OFFLOADED ? local : side.localAddress();
        }
    }

    @Override
    public SocketAddress getRemoteAddress() throws IOException {
        checkOpen();
        synchronized (stateLock) {
            return state == State.OFFLOADED ? remote : side.kernel.getRemoteAddress();
        }
    }

    @Override
    public <T> AsynchronousSocketChannel setOption(SocketOption<T> name, T value)
            throws IOException {
        AsyncStream stream = offloaded;
        synchronized (stateLock) {
            side.checkOption(name);
            checkOpen();
            if (stream != null && stream.writes.isShut()) {
                throw new IOException("Connection has been shutdown for writing");
            }
            side.setOption(name, value);
            stream = offloaded; // it may have come meanwhile
        }
        if (stream != null && name.equals(StandardSocketOptions.SO_KEEPALIVE)) {
            stream.keepAlive((Boolean) value);
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (stateLock) {
            side.checkOption(name);
            checkOpen();
            return side.option(name);
        }
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return side.supportedOptions();
    }

    @Override
    public String toString() {
        AsyncStream stream = offloaded;
        synchronized (stateLock) {
            if (stream == null && state != State.CONNECTING) {
                return side.kernel.toString();
            }
            String now =
                    closed
                            ? "closed"
                            : stream == null
                                    ? "connection-pending"
                                    : "connected"
                                            + (stream.reads.isShut() ? " ishut" : "")
                                            + (stream.writes.isShut() ? " oshut" : "")
                                            + " local="
                                            + local
                                            + " remote="
                                            + remote;
            return getClass().getName() + '[' + now + ']';
        }
    }
}
