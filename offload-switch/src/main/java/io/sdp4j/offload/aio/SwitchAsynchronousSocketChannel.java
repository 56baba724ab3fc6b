package io.sdp4j.offload.aio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SourceAddressSelection;
import io.sdp4j.offload.spi.ConnectSpec;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
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
 * provider carries it. It never moves afterwards (behaviour 96).
 *
 * <p>Shape: {@code side} has the JDK's own channel, which does everything until an offload attempt
 * begins, and again once the connection goes through the kernel. In an offloaded connection {@code
 * offloaded} carries the data, and the kernel's channel stays, unconnected, to hold the port number
 * and to answer for options. {@code stateLock} guards the state and every field without a comment
 * that says otherwise; no thread blocks, and no handler is called, while it is held.
 */
public final class SwitchAsynchronousSocketChannel extends AsynchronousSocketChannel {
    private enum State {
        UNDECIDED,
        CONNECTING,
        KERNEL,
        OFFLOADED
    }

    private final OffloadSwitch owner;
    final SwitchChannelGroup group;
    private final Object stateLock = new Object();
    private final KernelSide side; // stateLock, except for the look at its volatile fields

    private State state;
    private volatile boolean closed; // set under stateLock
    private volatile AsyncStream offloaded; // set once, under stateLock
    private ConnectOperation connecting;
    private InetSocketAddress local; // of an offloaded connection
    private InetSocketAddress remote; // of an offloaded connection, as the application gave it

    /**
     * An unconnected channel. The caller adds it to the group, and then reports it to the switch.
     */
    SwitchAsynchronousSocketChannel(
            OffloadSwitch owner, SwitchChannelGroup group, AsynchronousSocketChannel kernel) {
        super(group.provider());
        this.owner = owner;
        this.group = group;
        this.side = new KernelSide(owner, group, kernel, null);
        this.state = State.UNDECIDED;
    }

    /**
     * An accepted offloaded connection. The caller adds it to the group, and then reports it to the
     * switch.
     *
     * @param receiveBuffer the size that was set on the listener, or null
     */
    SwitchAsynchronousSocketChannel(
            OffloadSwitch owner,
            SwitchChannelGroup group,
            OffloadStream stream,
            Integer receiveBuffer) {
        super(group.provider());
        this.owner = owner;
        this.group = group;
        this.side = new KernelSide(owner, group, null, receiveBuffer);
        this.state = State.OFFLOADED;
        try {
            this.local = stream.localAddress();
            this.remote = stream.remoteAddress();
            owner.counters().opened(stream.info(), true);
            this.offloaded = new AsyncStream(stream, group, owner.counters(), this);
        } finally {
            if (offloaded == null) { // no other code knows of it
                stream.close(true);
            }
        }
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

    /** Where the connection runs, why, and what it has carried; empty while there is none. */
    public Optional<ConnectionInfo> connectionInfo() {
        AsyncStream stream = offloaded;
        if (stream != null) {
            return Optional.ofNullable(stream.info());
        }
        noteEstablished();
        return side.connectionInfo();
    }

    // --- connecting ---

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

    private Future<Void> begin(
            SocketAddress target, Object attachment, CompletionHandler<Void, Object> handler) {
        ConnectOperation operation = null;
        boolean settled = false;
        Policy rules = owner.policy(); // first: it may read the file, and a close must not wait
        synchronized (stateLock) {
            if (closed) {
                // fails below: handlers are not called with the lock held
            } else if (state == State.OFFLOADED) {
                KernelSide.check(target);
                throw new AlreadyConnectedException();
            } else if (state == State.CONNECTING) {
                KernelSide.check(target);
                throw new ConnectionPendingException();
            } else if (state == State.UNDECIDED && side.kernel.isOpen()) {
                operation = decide(rules, target, attachment, handler);
                settled = state == State.KERNEL;
            }
        }
        if (settled) {
            group.remove(this); // the kernel's channel is a member of the inner group
        }
        if (operation != null) {
            ConnectThreads.startApart(operation);
            return operation.future;
        }
        if (closed) {
            return group.deliver(handler, attachment, null, new ClosedChannelException());
        }
        AsynchronousSocketChannel kernel = side.kernel;
        if (handler == null) {
            return kernel.connect(target);
        }
        kernel.connect(target, attachment, handler);
        return null;
    }

    /** Returns the offload attempt that comes first; null if the kernel connects at once. */
    private ConnectOperation decide(
            Policy rules,
            SocketAddress target,
            Object attachment,
            CompletionHandler<Void, Object> handler) {
        if (!(target instanceof InetSocketAddress address) || address.isUnresolved()) {
            return null; // the kernel's channel throws
        }
        InetSocketAddress reachable = SourceAddressSelection.reachable(address);
        var decision = side.decision(rules, reachable);
        Attempt settled =
                !owner.upgradePolicy().atConnect() && owner.beginsOnKernel(decision, reachable)
                        ? OffloadSwitch.NOT_WORTH
                        : owner.settled(decision, reachable);
        if (settled != null) {
            side.goOn(settled);
            state = State.KERNEL;
            return null;
        }
        state = State.CONNECTING;
        connecting =
                new ConnectOperation(
                        this, owner, decision, address, reachable, handler, attachment);
        return connecting;
    }

    /**
     * Returns the callback by which a provider binds the kernel's channel, so that no TCP socket
     * gets the same port number.
     */
    ConnectSpec.LocalAddress localAddressTowards(InetSocketAddress target) {
        return ConnectSpec.LocalAddress.of(
                side.bound(), source -> localAddressTowards(target, source));
    }

    private InetSocketAddress localAddressTowards(InetSocketAddress target, InetAddress known)
            throws IOException {
        InetAddress source = SourceAddressSelection.towards(target, known);
        synchronized (stateLock) {
            if (closed) {
                throw new AsynchronousCloseException();
            }
            return side.holdPort(source);
        }
    }

    /**
     * Takes the connection that a provider has made; cuts it if the channel was closed meanwhile.
     */
    void adopt(OffloadStream stream, InetSocketAddress target) throws AsynchronousCloseException {
        synchronized (stateLock) {
            if (!closed) {
                try {
                    local = stream.localAddress();
                    remote = target;
                    owner.counters().opened(stream.info(), false);
                    AsyncStream ready = new AsyncStream(stream, group, owner.counters(), this);
                    if (connecting.cancelled()) {
                        ready.kill();
                    }
                    if (side.keepAlive()) {
                        ready.keepAlive(true);
                    }
                    offloaded = ready;
                } finally {
                    if (offloaded == null) { // no other code knows of it
                        stream.close(true);
                    }
                }
                state = State.OFFLOADED;
                return;
            }
        }
        stream.close(true);
        throw new AsynchronousCloseException();
    }

    /** Gives up the offload attempt and returns the kernel's channel, which connects now. */
    AsynchronousSocketChannel fallBack(Attempt why) throws IOException {
        synchronized (stateLock) {
            if (closed) {
                throw new AsynchronousCloseException();
            }
            side.fallBack(why);
            state = State.KERNEL;
            return side.kernel;
        }
    }

    /** Ends the connect: the connection is up, offloaded or through the kernel. */
    void connected() {
        synchronized (stateLock) {
            if (connecting.cancelled()) {
                side.kill();
                if (offloaded != null) {
                    offloaded.kill();
                }
            }
            connecting = null;
            if (closed || state == State.OFFLOADED) {
                return;
            }
        }
        group.remove(this); // the kernel's channel is a member of the inner group
    }

    /** Counts a connection through the kernel the first time that it is found up. */
    void noteEstablished() {
        if (!side.counted) {
            synchronized (stateLock) {
                side.noteEstablished();
            }
        }
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

    // --- closing ---

    @Override
    public boolean isOpen() {
        return !closed && (offloaded != null || side.kernel.isOpen());
    }

    @Override
    public void close() throws IOException {
        noteEstablished();
        ConnectOperation operation;
        synchronized (stateLock) {
            if (closed) {
                return;
            }
            closed = true;
            operation = connecting;
        }
        // The group's threads live as long as it has a member: first the waiting operations end.
        boolean tell = operation != null && operation.claim();
        try {
            if (offloaded != null) {
                offloaded.close();
            }
        } finally {
            try {
                side.close();
            } finally {
                if (tell) { // now that its address is free
                    operation.deliver(new AsynchronousCloseException());
                }
                if (offloaded == null) {
                    group.remove(this); // else AsyncStream does, when its last user has left
                }
            }
        }
    }

    /**
     * Closes the channel for {@code reason}, which is reported; a failure of the close is only
     * added to it.
     */
    void closeAfter(Throwable reason) {
        try {
            close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
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
