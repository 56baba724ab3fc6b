package io.sdp4j.offload.nio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.Began;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.ToldReset;
import io.sdp4j.offload.jdk.JdkBridge;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.ConnectionSwitch;
import sun.nio.ch.CountedKernel;
import sun.nio.ch.EarlyConnection;
import sun.nio.ch.Net;
import sun.nio.ch.SelectionKeyImpl;

/**
 * The switch's part of one channel. When the channel connects, it decides whether the kernel's TCP
 * or an offload provider carries the connection.
 *
 * <p>Shape: {@code channel} is the JDK's own, and does everything until it is decided and, on the
 * kernel, after it. A connection that may move is carried by {@code moving}, an offloaded one by
 * {@code stream}. Selectors ask {@code selectorSide}.
 *
 * <p>Locks: one reader holds {@code readLock}, one writer {@code writeLock}; a thread that connects
 * or changes the blocking mode holds both. {@code stateLock} guards the state, the options and
 * every field without another remark; no thread waits while holding it.
 */
final class SwitchedConnection implements ConnectionSwitch {
    final SwitchSelectorProvider provider;
    final ConnectionChannel channel;
    final ReentrantLock readLock;
    final ReentrantLock writeLock;
    final Object stateLock = new Object();
    final ChannelOptions options; // stateLock
    final HeldPort port;
    final SelectorSide selectorSide;

    private final ChannelConnect connect;
    volatile ChannelStream stream; // set once
    private boolean begunMoving; // stateLock
    volatile MovingChannel moving; // set once; null again if the connection stays on the kernel

    /**
     * Whether a virtual thread has used the connection. A write by the stream then returns as soon
     * as it has moved something. So does the JDK's channel, whose socket stays non-blocking from
     * then on.
     */
    volatile boolean virtual;

    private InetSocketAddress local; // of an offloaded connection
    private InetSocketAddress remote; // of an offloaded connection

    /**
     * @param family the protocol family that the application asked for, or null
     * @param byProvider whether a provider has accepted the connection
     */
    SwitchedConnection(
            SwitchSelectorProvider provider,
            ConnectionChannel channel,
            ProtocolFamily family,
            boolean byProvider,
            ReentrantLock readLock,
            ReentrantLock writeLock) {
        this.provider = provider;
        this.channel = channel;
        this.readLock = readLock;
        this.writeLock = writeLock;
        this.options = new ChannelOptions(provider, channel, family);
        this.port = new HeldPort(this);
        this.selectorSide = new SelectorSide(this, byProvider);
        this.connect = new ChannelConnect(this, family, byProvider);
    }

    /** Returns the channel, for which this object decides from now on. */
    ConnectionChannel open() {
        channel.decidedBy(this);
        provider.owner.opened(channel);
        return channel;
    }

    /** Returns the switch's part of a channel, or null if no switch knows the channel. */
    static SwitchedConnection of(SocketChannel channel) {
        return channel instanceof ConnectionChannel c && c.decider() instanceof SwitchedConnection s
                ? s
                : null;
    }

    /**
     * Goes on with a channel that was made before there was a switch.
     *
     * @param decision if the connection exists and was made here: the rule by which it may move
     * @param table if the connection exists and was accepted: where a peer finds it
     * @param why if the connection exists: why it is on TCP
     */
    void goOn(EarlyConnection early, Decision decision, AcceptedTable table, Attempt why)
            throws IOException {
        MovingChannel young = null;
        if (decision != null || table != null) {
            CountedKernel counted = early.counted();
            Began began =
                    new Began(
                            readLock,
                            writeLock,
                            counted.sent,
                            counted.received,
                            counted.turns,
                            counted.bornNanos);
            young = young(decision, table, why, began);
            begunMoving = true;
            connect.connectedBefore(why, young);
        }
        connect.after(early);
        // Not the channel's blocking lock: the application may hold it while it waits for a peer.
        synchronized (early) { // the mode and the options do not change
            options.known(early.options());
            selectorSide.wanted = !early.blocking();
            moving = young;
            if (!early.goesOn(this, young)) {
                return;
            }
        }
        provider.owner.opened(channel);
        if (!channel.isOpen()) { // closed meanwhile
            closing();
            closed();
        }
        if (young != null) {
            young.start();
        }
    }

    /** Takes a stream that a provider has accepted. */
    void accept(OffloadStream accepted, Integer receiveBuffer) throws IOException {
        synchronized (stateLock) {
            options.put(StandardSocketOptions.SO_REUSEADDR, true); // as an accepted socket has it
            if (receiveBuffer != null) {
                options.put(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
            }
            provider.owner.counters().opened(accepted.info(), true);
            channel.carriedBy(take(accepted, new ToldReset()));
        }
    }

    /** Begins with a connection that the kernel has accepted; it moves if the peer asks. */
    void acceptedByKernel(AcceptedTable table, Attempt why) {
        connect.connectedBefore(why, null);
        beginMoving(young(null, table, why));
    }

    /**
     * Has the kernel carry a connection that may move; its bytes are counted from the first one on.
     */
    MovingChannel young(Decision decision, AcceptedTable table, Attempt why) {
        MovingChannel young = young(decision, table, why, Began.now(readLock, writeLock));
        channel.carriedBy(young);
        return young;
    }

    private MovingChannel young(Decision decision, AcceptedTable table, Attempt why, Began began) {
        return new MovingChannel(this, decision, table, why.kernelInfo(), began);
    }

    /** Begins to look for a move, now that the kernel has connected. Idempotent. */
    void beginMoving(MovingChannel young) {
        synchronized (stateLock) {
            if (begunMoving || !channel.isOpen()) {
                return;
            }
            begunMoving = true;
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
        FileDescriptor tcp = null;
        if (ends) {
            synchronized (stateLock) {
                tcp = moving == null ? null : port.tcp();
            }
        }
        if (tcp != null) {
            JdkBridge.awaitEnd(tcp);
        }
        synchronized (stateLock) {
            tcp = moving == null ? null : port.tcp();
            return tcp != null && JdkBridge.takeReset(tcp);
        }
    }

    /** The connection stays on the kernel: its bytes need not be counted any more. */
    void stayOnKernel() {
        connect.becomes(provider.owner.notWorthMoving());
        moving = null;
        channel.carriedBy(null);
    }

    /**
     * Takes the stream of a connection that moves; reads and writes go over to it one after the
     * other.
     *
     * @throws IOException if there are no descriptors for it; the stream was not taken
     */
    ChannelStream takeMoved(OffloadStream won, ToldReset reset) throws IOException {
        synchronized (stateLock) {
            if (selectorSide.wanted) {
                selectorSide.prepare(won.notifyFd());
            }
            return take(won, reset);
        }
    }

    private ChannelStream take(OffloadStream offloaded, ToldReset reset) {
        assert Thread.holdsLock(stateLock);
        SwitchCounters counters = provider.owner.counters();
        local = offloaded.localAddress();
        remote = offloaded.remoteAddress();
        ChannelStream s = new ChannelStream(this, offloaded, counters, readLock, writeLock, reset);
        stream = s;
        if (options.oobInline()) {
            s.oobInline(true);
        }
        if (options.keepAlive()) {
            s.keepAlive(true);
        }
        return s;
    }

    /**
     * Makes this an offloaded channel, as nothing more goes by TCP. Called under both data locks;
     * {@link #nudgeMoved} follows without them.
     */
    void adoptMoved() {
        try {
            selectorSide.selectors.takeOut(channel);
            synchronized (stateLock) {
                connect.moved();
                selectorSide.follow();
            }
        } catch (IOException | OutOfMemoryError e) {
            cutMoved();
        }
    }

    /** No selector can be shown the stream. The connection breaks, and the kernel's socket ends. */
    private void cutMoved() {
        synchronized (stateLock) {
            connect.moved();
            try {
                if (channel.isOpen()) {
                    channel.endKernelInput();
                }
            } catch (IOException e) {
                // it has ended before
            } finally {
                stream.cut();
            }
        }
    }

    void nudgeMoved() {
        selectorSide.selectors.putBack(channel);
    }

    /** Called by each thread that reads or writes. */
    void noteThread() {
        if (!virtual && Thread.currentThread().isVirtual()) {
            virtual = true;
        }
    }

    /** Returns where the connection runs and why; empty while there is none. */
    Optional<ConnectionInfo> connectionInfo() {
        MovingChannel m = moving;
        if (m != null) {
            return Optional.of(m.info());
        }
        ChannelStream s = stream;
        return s != null ? Optional.of(s.info()) : connect.info();
    }

    // --- what the parts need ---

    /** Whether an offloaded connection is up and waits for {@code finishConnect}. */
    boolean connectable() {
        return connect.connectable();
    }

    /** Whether an attempt to offload runs. */
    boolean trying() {
        return connect.trying();
    }

    /** The stream if reading and writing is its business, else null. */
    ChannelStream connectedStream() {
        return connect.offloaded() ? stream : null;
    }

    /**
     * Takes the stream that an attempt has won.
     *
     * @return false if the channel was closed meanwhile; the stream is closed then, too
     */
    boolean adopt(OffloadStream won) throws IOException {
        synchronized (stateLock) {
            if (!channel.isOpen()) {
                won.close(true);
                return false;
            }
            try {
                take(won, new ToldReset());
            } finally {
                if (stream == null) { // no other code knows of it
                    won.close(true);
                }
            }
            selectorSide.follow();
            provider.owner.counters().opened(won.info(), false); // last: it is established
            return true;
        }
    }

    // --- the connection ---

    @Override
    public void bind(SocketAddress address) throws IOException {
        connect.bind(address);
    }

    @Override
    public boolean connect(SocketAddress target, long nanos) throws IOException {
        Net.checkAddress(target); // the JDK says this first
        return connect.connect(target, nanos);
    }

    @Override
    public boolean finishConnect() throws IOException {
        return connect.finish();
    }

    @Override
    public boolean isConnected() {
        return connectedStream() != null ? channel.isOpen() : channel.kernelConnected();
    }

    @Override
    public boolean isConnectionPending() {
        return channel.isOpen() && connect.pending();
    }

    @Override
    public SocketAddress localAddress() {
        synchronized (stateLock) {
            return connectedStream() != null ? local : null;
        }
    }

    @Override
    public SocketAddress remoteAddress() {
        synchronized (stateLock) {
            if (remote != null) {
                return remote;
            }
        }
        return connect.target();
    }

    @Override
    public <T> void setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (stateLock) {
            options.put(name, value);
            if (stream == null) {
                return;
            }
            if (ChannelOptions.isOobInline(name)) {
                stream.oobInline((Boolean) value);
            } else if (name.equals(StandardSocketOptions.SO_KEEPALIVE)) {
                stream.keepAlive((Boolean) value);
            }
        }
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        synchronized (stateLock) {
            return options.get(name);
        }
    }

    // --- blocking mode and closing ---

    @Override
    public void configureBlocking(boolean block) throws IOException {
        boolean _ = alone(new Blocking(this, block));
    }

    /** Not a lambda, which the first non-blocking channel would have to link. */
    private record Blocking(SwitchedConnection connection, boolean block) implements Step {
        @Override
        public boolean run() throws IOException {
            if (!connection.configureStream(block)) {
                connection.channel.blockKernel(block);
            }
            return true;
        }
    }

    interface Step {
        boolean run() throws IOException;
    }

    /** Runs {@code step} while no thread reads or writes. */
    boolean alone(Step step) throws IOException {
        readLock.lock();
        try {
            writeLock.lock();
            try {
                return step.run();
            } finally {
                writeLock.unlock();
            }
        } finally {
            readLock.unlock();
            locksGivenBack();
        }
    }

    /**
     * Lets everything go on that waited for the data locks. Called without a lock, by a thread that
     * held both.
     */
    void locksGivenBack() {
        MovingChannel m = moving;
        ChannelStream s = stream;
        if (m != null) {
            m.earlyLockGivenBack();
        } else if (s != null) {
            s.leave();
        }
    }

    /**
     * Sets the mode of the stream. Returns false if the mode of the kernel's socket counts instead.
     */
    private boolean configureStream(boolean block) throws IOException {
        synchronized (stateLock) {
            channel.ensureOpen();
            boolean kernels = stream == null || connect.onKernel();
            if (kernels && stream != null && !block) {
                selectorSide.prepare(stream.notifyFd());
            }
            selectorSide.wanted = !block;
            if (!kernels) {
                selectorSide.follow();
            }
            return !kernels;
        }
    }

    @Override
    public void closing() throws IOException {
        int lingerSeconds;
        synchronized (stateLock) { // also waits for a thread that uses the descriptor under it
            lingerSeconds = options.lingerSeconds();
            stateLock.notifyAll(); // a thread in finishConnect
        }
        selectorSide.silence(); // first: what a close wakes is nothing for a selector
        MovingChannel m = moving;
        if (m != null) {
            m.close(lingerSeconds == 0);
            if (m.resetsByKernel()) {
                synchronized (stateLock) {
                    options.resetAtClose();
                }
            }
        }
        ChannelStream s = stream;
        if (s != null) {
            // As in the JDK, closing never waits while a selector still knows the channel.
            boolean waits = channel.isBlocking() || !channel.isRegistered();
            s.close(lingerSeconds > 0 && !waits ? -1 : lingerSeconds);
        }
        if (m != null && lingerSeconds == 0) {
            m.resetTcp(channel.getFD());
        }
    }

    @Override
    public void closed() throws IOException {
        synchronized (stateLock) {
            options.close();
            selectorSide.closePrepared();
        }
        if (!channel.isRegistered()) {
            killed();
        }
    }

    @Override
    public void killed() {
        selectorSide.killed();
    }

    // --- what selectors ask ---

    @Override
    public void checkDescriptor() {
        selectorSide.checkDescriptor();
    }

    @Override
    public int interest(int ops) {
        return selectorSide.interest(ops);
    }

    @Override
    public boolean ready(int ops, int initialOps, SelectionKeyImpl key) {
        return selectorSide.ready(ops, initialOps, key);
    }
}
