package io.sdp4j.offload.nio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.ToldReset;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import sun.nio.ch.Net;
import sun.nio.ch.SelChImpl;

/**
 * A channel that decides when it connects whether the kernel's TCP or an offload provider carries
 * it, and never changes its mind afterwards.
 *
 * <p>Shape: {@code kernel} is a channel of the JDK's own. It does everything until it is decided
 * and, on the kernel, after it: every call is passed to it. It is pinned, so that its descriptor
 * stays until this channel is closed <em>and</em> out of every selector. An offloaded channel has a
 * {@code stream} and, once it is non-blocking, a {@code notifyFd}, which takes over the number of
 * the kernel's descriptor; so the number that selectors know never changes (behaviour 42). An
 * accepted channel has no {@code kernel}.
 *
 * <p>Locks: {@code readLock} and {@code writeLock} are held by one reader and one writer of the
 * stream, both by the thread that connects or changes the blocking mode; {@code stateLock} guards
 * state and every field without another remark.
 */
final class SwitchSocketChannel extends PolledSocketChannel
        implements Supplier<InputStream>, Callable<OutputStream> {
    final SwitchSelectorProvider provider;
    final SocketChannel kernel; // null for an accepted one
    final ReentrantLock readLock = new ReentrantLock();
    final ReentrantLock writeLock = new ReentrantLock();

    private final ChannelConnect connect; // null for an accepted one
    private volatile ChannelStream stream; // set once
    private volatile ReadinessFd notifyFd; // set once
    private boolean begunMoving; // stateLock
    private volatile MovingChannel moving; // set once, and to null if it turns out to stay
    private InetSocketAddress local; // of an offloaded connection
    private InetSocketAddress remote; // of an offloaded connection
    private boolean wantsReadinessFd;
    private boolean released;
    private Socket socket;

    /**
     * To connect.
     *
     * @param family that was asked for, or null
     */
    SwitchSocketChannel(
            SwitchSelectorProvider provider, SocketChannel kernel, ProtocolFamily family) {
        super(provider, new ChannelOptions(provider, kernel, family));
        provider.teach();
        this.provider = provider;
        this.kernel = kernel;
        this.connect = new ChannelConnect(this, family);
        ChannelBridge.pin(kernel);
        provider.owner().opened(this);
    }

    /**
     * Accepted.
     *
     * @param receiveBuffer what the listener was given, or null
     */
    SwitchSocketChannel(
            SwitchSelectorProvider provider, OffloadStream accepted, Integer receiveBuffer) {
        super(provider, new ChannelOptions(provider, receiveBuffer));
        provider.teach();
        this.provider = provider;
        this.kernel = null;
        this.connect = null;
        synchronized (stateLock) {
            take(accepted, true, new ToldReset());
        }
        provider.owner().opened(this);
    }

    /** Accepted from the kernel, to be moved when the peer asks for it. */
    static SwitchSocketChannel accepted(
            SwitchSelectorProvider provider, SocketChannel kernel, AcceptedTable table, Attempt why)
            throws IOException {
        SwitchSocketChannel channel = new SwitchSocketChannel(provider, kernel, null);
        channel.connect.accepted(why);
        channel.beginMoving(null, table, why);
        return channel;
    }

    /** The kernel has connected, and the connection may move. Idempotent. */
    void beginMoving(Decision decision, AcceptedTable table, Attempt why) throws IOException {
        MovingChannel young;
        synchronized (stateLock) {
            if (begunMoving || !isOpen()) {
                return;
            }
            begunMoving = true;
            young =
                    new MovingChannel(
                            this,
                            (InetSocketAddress) kernel.getLocalAddress(),
                            (InetSocketAddress) kernel.getRemoteAddress(),
                            decision,
                            table,
                            why.kernelInfo());
            moving = young;
        }
        young.start();
    }

    /**
     * Whether TCP was reset below a stream that has ended in order: the peer's process has ended
     * and left bytes of TCP unread. Told once.
     *
     * @param ends whether the peer's process has ended
     */
    boolean takeResetOfTcp(boolean ends) throws IOException {
        synchronized (stateLock) {
            return moving != null && connect.takeResetOfTcp(ends);
        }
    }

    @Override
    MovingChannel moving() {
        return moving;
    }

    @Override
    ChannelStream movedStream() {
        return stream;
    }

    /** Its bytes need not be counted any more. */
    void stayOnKernel() {
        connect.staysFor(OffloadSwitch.CARRIES_LITTLE);
        moving = null;
    }

    /** The connection has a stream; reads and writes move to it one after the other. */
    ChannelStream takeMoved(OffloadStream won, boolean accepted, ToldReset reset) {
        synchronized (stateLock) {
            return take(won, accepted, reset);
        }
    }

    private ChannelStream take(OffloadStream offloaded, boolean accepted, ToldReset reset) {
        assert Thread.holdsLock(stateLock);
        SwitchCounters counters = provider.owner().counters();
        counters.opened(offloaded, accepted);
        local = offloaded.localAddress();
        remote = offloaded.remoteAddress();
        ChannelStream s = new ChannelStream(this, offloaded, counters, readLock, writeLock, reset);
        stream = s;
        if (options.oobInline()) {
            s.oobInline(true);
        }
        return s;
    }

    /**
     * Nothing more goes by TCP: from now on this is an offloaded channel. Under both data locks;
     * {@link #nudgeMoved} follows without.
     */
    void adoptMoved() {
        connect.selectors().takeOut((SelChImpl) kernel);
        synchronized (stateLock) {
            connect.moved();
            if (wantsReadinessFd) {
                try {
                    makeReadinessFd();
                } catch (IOException e) {
                    // without descriptors nothing can be selected; as if the connection had broken
                    stream.close(0);
                }
            }
        }
    }

    void nudgeMoved() {
        connect.selectors().putBack(this);
    }

    /** Where the connection runs and why; empty while there is none. */
    Optional<ConnectionInfo> connectionInfo() {
        MovingChannel m = moving;
        if (m != null) {
            return Optional.of(m.info());
        }
        ChannelStream s = stream;
        return s != null ? Optional.of(s.info()) : connect.kernelInfo();
    }

    // --- what the parts need ---

    /** Announces an operation that may block; a thread interrupted before closes the channel. */
    void enter(boolean blocking) throws ClosedChannelException {
        if (blocking) {
            begin();
            if (!isOpen()) {
                end(false);
                throw new ClosedChannelException();
            }
        }
    }

    /** Ends what {@link #enter} began. */
    void leave(boolean blocking, boolean completed) throws IOException {
        if (blocking) {
            end(completed);
        }
    }

    /** Whether an offloaded connection is up and waits for {@code finishConnect}. */
    boolean connectable() {
        return connect != null && connect.connectable();
    }

    /**
     * Takes the stream that an attempt has won.
     *
     * @return false if the channel was closed meanwhile: then the stream is, too
     */
    boolean adopt(OffloadStream won) throws IOException {
        synchronized (stateLock) {
            if (!isOpen()) {
                won.close(true);
                return false;
            }
            take(won, false, new ToldReset());
            if (wantsReadinessFd) {
                makeReadinessFd();
            }
            return true;
        }
    }

    private void makeReadinessFd() throws IOException {
        assert Thread.holdsLock(stateLock);
        if (notifyFd != null || stream == null || !isOpen()) {
            return;
        }
        ReadinessFd made = new ReadinessFd(this, stream, stream.notifyFd());
        boolean complete = false;
        try {
            if (kernel != null) {
                FileDescriptor number = ((SelChImpl) kernel).getFD();
                connect.keepPort(number, moving != null);
                made.moveOver(number);
            }
            complete = true;
        } finally {
            if (!complete) {
                made.close();
            }
        }
        notifyFd = made;
    }

    @Override
    void settle() {
        ReadinessFd d = notifyFd;
        if (d != null) {
            d.settle();
        }
    }

    @Override
    void followKernel() {
        if (!kernel.isOpen() && isOpen()) {
            try {
                close();
            } catch (IOException e) {
                // what the call has thrown, or given, is what counts
            }
        }
    }

    @Override
    ChannelStream connectedStream() {
        return connect == null || connect.offloaded() ? stream : null;
    }

    @Override
    void oobInline(boolean inline) {
        assert Thread.holdsLock(stateLock);
        if (stream != null) {
            stream.oobInline(inline);
        }
    }

    @Override
    ReadinessFd notifyFd() {
        return notifyFd;
    }

    @Override
    ChannelConnect connecting() {
        return connect;
    }

    @Override
    SocketChannel kernel() {
        return kernel;
    }

    // --- connecting ---

    @Override
    public SocketChannel bind(SocketAddress address) throws IOException {
        if (connect == null) {
            ensureOpen();
            throw new AlreadyBoundException();
        }
        connect.bind(address);
        return this;
    }

    @Override
    public boolean connect(SocketAddress target) throws IOException {
        return connect(target, Long.MAX_VALUE);
    }

    /** For the adaptor; {@code nanos} limits a channel that blocks. */
    boolean connect(SocketAddress target, long nanos) throws IOException {
        Net.checkAddress(target); // the JDK says this first
        if (connect == null) {
            ensureOpen();
            throw new AlreadyConnectedException();
        }
        return connect.connect(target, nanos);
    }

    @Override
    public boolean finishConnect() throws IOException {
        if (connect == null) {
            ensureOpen();
            return true;
        }
        return connect.finish();
    }

    @Override
    public boolean isConnected() {
        return connectedStream() != null ? isOpen() : kernel.isConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return connect != null && isOpen() && connect.pending();
    }

    @Override
    SocketAddress localAddress() throws IOException {
        synchronized (stateLock) {
            if (connectedStream() != null) {
                return local;
            }
        }
        return kernel.isOpen() ? kernel.getLocalAddress() : null;
    }

    @Override
    SocketAddress remoteAddress() throws IOException {
        synchronized (stateLock) {
            if (remote != null) {
                return remote;
            }
        }
        InetSocketAddress target = connect.target();
        return target != null ? target : kernel.isOpen() ? kernel.getRemoteAddress() : null;
    }

    // --- adaptor and streams ---

    @Override
    public Socket socket() {
        synchronized (stateLock) {
            if (socket == null) {
                socket = ChannelSocket.of(this);
            }
            return socket;
        }
    }

    /** For {@code Channels.newInputStream} (behaviour 56). */
    @Override
    public InputStream get() {
        return new ChannelStreams.Input(this, () -> 0);
    }

    /** For {@code Channels.newOutputStream} (behaviour 56). */
    @Override
    public OutputStream call() {
        return new ChannelStreams.Output(this);
    }

    // --- blocking mode and closing ---

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        readLock.lock();
        try {
            writeLock.lock();
            try {
                synchronized (stateLock) {
                    ensureOpen();
                    wantsReadinessFd = !block;
                    if (stream == null || (connect != null && connect.onKernel())) {
                        kernel.configureBlocking(block);
                    } else if (!block) {
                        makeReadinessFd();
                    } else if (notifyFd != null) {
                        notifyFd.rest();
                    }
                }
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
            MovingChannel m = moving;
            if (m != null) {
                m.left();
            }
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        int lingerSeconds;
        synchronized (stateLock) {
            lingerSeconds = options.lingerSeconds();
            stateLock.notifyAll(); // a thread in finishConnect
        }
        ReadinessFd d = notifyFd;
        if (d != null) {
            d.silence(); // first: what a close wakes is nothing for a selector
        }
        MovingChannel m = moving;
        if (m != null) {
            m.end(lingerSeconds == 0);
            if (m.resetsByKernel()) {
                synchronized (stateLock) {
                    options.resetAtClose();
                }
            }
        }
        ChannelStream s = stream;
        if (s != null) {
            // As the JDK: closing never waits while a selector still knows the channel.
            s.close(lingerSeconds > 0 && !isBlocking() && isRegistered() ? -1 : lingerSeconds);
        }
        if (m != null && lingerSeconds == 0 && kernel.isOpen()) {
            m.resetTcp(((SelChImpl) kernel).getFD());
        }
        try {
            if (kernel != null) {
                kernel.close();
            }
        } finally {
            synchronized (stateLock) {
                options.close(kernel);
            }
            if (!isRegistered()) {
                release();
            }
        }
    }

    @Override
    public void kill() {
        if (!isOpen()) {
            release();
        }
    }

    /** Gives the descriptors back: no other code knows them any more. */
    private void release() {
        synchronized (stateLock) {
            if (released) {
                return;
            }
            released = true;
        }
        try {
            if (notifyFd != null) {
                notifyFd.close();
            }
            if (kernel != null) {
                ChannelBridge.unpin(kernel);
                ((SelChImpl) kernel).kill();
            }
        } catch (IOException e) {
            // as the JDK: no caller is left to be told
        }
    }
}
