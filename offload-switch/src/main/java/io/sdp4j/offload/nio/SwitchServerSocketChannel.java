package io.sdp4j.offload.nio;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.api.ReasonCode;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.EarlyOffloadListeners;
import io.sdp4j.offload.ListenPort;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.jdk.ChannelBridge;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import sun.nio.ch.SelChImpl;
import sun.nio.ch.SelectionKeyImpl;

/**
 * A listener. The kernel's is bound first and owns the port; when the rules allow it, offload
 * listeners stand beside it and {@code accept} takes from both. Without them every call is passed
 * to the kernel's channel.
 *
 * <p>Connections that come by TCP are handed out as the JDK's own channels (behaviour 57).
 *
 * <p>Shape: {@code kernel} is pinned, so that its descriptor stays until this channel is closed and
 * out of every selector. With offload listeners it never blocks, and {@code queues} has the
 * descriptor that selectors and accepting threads wait for. {@code acceptLock} admits one accepting
 * thread, {@code stateLock} guards every field without another remark.
 */
final class SwitchServerSocketChannel extends ServerSocketChannel implements SelChImpl {
    private final SwitchSelectorProvider provider;
    private final ServerSocketChannel kernel;
    private final boolean kernelOnly = KernelSockets.active();
    private final ReentrantLock acceptLock = new ReentrantLock();
    private final Object stateLock = new Object();

    private volatile AcceptQueues queues; // set once
    private volatile boolean polled; // a selector has looked at the kernel's descriptor
    private Attempt why; // connections that the kernel accepts are there, without queues
    private Integer receiveBuffer; // that was asked for
    private boolean released;
    private ServerSocket socket;

    SwitchServerSocketChannel(SwitchSelectorProvider provider, ServerSocketChannel kernel) {
        super(provider);
        this.provider = provider;
        this.kernel = kernel;
        ChannelBridge.pin(kernel);
        provider.owner().opened(this);
    }

    @Override
    public ServerSocketChannel bind(SocketAddress address, int backlog) throws IOException {
        acceptLock.lock();
        try {
            synchronized (stateLock) {
                why = bindAndListen(address, backlog, backlog < 1 ? 50 : backlog);
            }
        } finally {
            acceptLock.unlock();
        }
        return this;
    }

    /**
     * @param asked what the application asked for as backlog
     * @param backlog what the kernel makes of it
     */
    private Attempt bindAndListen(SocketAddress address, int asked, int backlog)
            throws IOException {
        Decision decision = EarlyOffloadListeners.decision(provider.owner(), address);
        boolean mayBind = kernel.getLocalAddress() == null && decision != null;
        if (kernelOnly || polled || !mayBind || !decision.verdict().offloads()) {
            kernel.bind(address, asked); // which says what is wrong
            return kernelOnly
                    ? Attempt.kernel(ReasonCode.KERNEL_SCOPE, "created in a kernel scope")
                    : decision.verdict().offloads()
                            ? Attempt.kernel(
                                    ReasonCode.UNAVAILABLE,
                                    "the channel was selected before it was bound")
                            : OffloadSwitch.byRule(decision);
        }
        AcceptQueues both = new AcceptQueues(kernel);
        boolean keep = false;
        try {
            OffloadListeners listening =
                    EarlyOffloadListeners.around(
                            provider.owner(),
                            decision,
                            address,
                            backlog,
                            both,
                            kernel,
                            new KernelBind(kernel, asked));
            both.start(listening);
            if (listening.offloads()) {
                kernel.configureBlocking(false);
                queues = both;
                keep = true;
            }
            return listening.why();
        } finally {
            if (!keep) {
                both.close();
                both.release();
            }
        }
    }

    /** No lambda: it costs a start a millisecond. */
    private record KernelBind(ServerSocketChannel kernel, int backlog) implements ListenPort.Bind {
        @Override
        public void to(SocketAddress address) throws IOException {
            kernel.bind(address, backlog);
        }
    }

    @Override
    public SocketChannel accept() throws IOException {
        AcceptQueues both = queues;
        return both != null ? accept(both, Long.MAX_VALUE, false) : acceptFromKernel();
    }

    private SocketChannel acceptFromKernel() throws IOException {
        try {
            return counted(kernel.accept());
        } finally {
            followKernel();
        }
    }

    /** For the adaptor: accepts within {@code nanos}. */
    SocketChannel blockingAccept(long nanos) throws IOException {
        AcceptQueues both = queues;
        if (both != null) {
            return accept(both, nanos, true);
        }
        long millis = Math.min((nanos + 999_999) / 1_000_000, Integer.MAX_VALUE);
        ServerSocket adaptor = kernel.socket();
        try {
            adaptor.setSoTimeout((int) millis);
            return counted(adaptor.accept().getChannel());
        } finally {
            followKernel();
        }
    }

    private SocketChannel counted(SocketChannel accepted) {
        if (accepted != null) {
            provider.owner().counters().kernelAccepted(why().reason());
        }
        return accepted;
    }

    /** Why a connection that the kernel accepts now is there. */
    private Attempt why() {
        AcceptQueues both = queues;
        if (both != null) {
            return both.listening().why();
        }
        synchronized (stateLock) {
            return why;
        }
    }

    private SocketChannel accept(AcceptQueues both, long nanos, boolean mustBlock)
            throws IOException {
        SocketChannel accepted = null;
        acceptLock.lock();
        try {
            boolean blocking = isBlocking();
            if (mustBlock && !blocking) {
                throw new IllegalBlockingModeException();
            }
            ensureOpen();
            if (!blocking) {
                return take(both);
            }
            begin();
            try {
                long deadlineNanos = nanos == Long.MAX_VALUE ? 0 : System.nanoTime() + nanos;
                ensureOpen();
                accepted = take(both);
                while (accepted == null && isOpen()) {
                    long leftNanos = 0;
                    if (nanos != Long.MAX_VALUE) {
                        leftNanos = deadlineNanos - System.nanoTime();
                        if (leftNanos <= 0) {
                            throw new SocketTimeoutException("Accept timed out");
                        }
                    }
                    both.await(leftNanos);
                    accepted = isOpen() ? take(both) : null;
                }
            } finally {
                end(accepted != null);
            }
        } finally {
            acceptLock.unlock();
            if (!isOpen()) {
                releaseIfIdle();
            }
        }
        return accepted;
    }

    /** A connection that waits in either queue, or null. */
    private SocketChannel take(AcceptQueues both) throws IOException {
        assert acceptLock.isHeldByCurrentThread();
        OffloadStream stream = null;
        SocketChannel accepted = null;
        both.consume(); // before looking, so that no signal is lost
        for (int i = 0; i < 2 && stream == null && accepted == null; i++) {
            if (both.kernelsTurn()) {
                accepted = both.fromKernel();
            } else {
                stream = both.listening().poll();
            }
        }
        both.signalIfPending();
        if (stream == null) {
            AcceptedTable table = both.listening().accepted();
            counted(accepted);
            return accepted == null || table == null
                    ? accepted
                    : SwitchSocketChannel.accepted(provider, accepted, table, why());
        }
        Integer size;
        synchronized (stateLock) {
            size = receiveBuffer;
        }
        return new SwitchSocketChannel(provider, stream, size);
    }

    private void ensureOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    private void followKernel() {
        if (!kernel.isOpen() && isOpen()) {
            try {
                close();
            } catch (IOException e) {
                // what the call has thrown, or given, is what counts
            }
        }
    }

    // --- options, addresses, adaptor ---

    @Override
    public <T> ServerSocketChannel setOption(SocketOption<T> name, T value) throws IOException {
        synchronized (stateLock) {
            kernel.setOption(name, value);
            if (name.equals(StandardSocketOptions.SO_RCVBUF)) {
                receiveBuffer = (Integer) value;
            }
        }
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) throws IOException {
        return kernel.getOption(name);
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return kernel.supportedOptions();
    }

    @Override
    public SocketAddress getLocalAddress() throws IOException {
        return kernel.getLocalAddress();
    }

    @Override
    public ServerSocket socket() {
        synchronized (stateLock) {
            if (socket == null) {
                try {
                    socket = new ChannelServerSocket(this, kernel.socket());
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
            return socket;
        }
    }

    @Override
    public String toString() {
        return kernel.toString();
    }

    // --- blocking mode and closing ---

    @Override
    protected void implConfigureBlocking(boolean block) throws IOException {
        acceptLock.lock();
        try {
            ensureOpen();
            if (queues == null) {
                kernel.configureBlocking(block);
            }
        } finally {
            acceptLock.unlock();
        }
    }

    @Override
    protected void implCloseSelectableChannel() throws IOException {
        AcceptQueues both = queues;
        if (both != null) {
            both.close(); // wakes threads that accept
        }
        kernel.close();
        releaseIfIdle();
    }

    @Override
    public void kill() {
        if (!isOpen()) {
            releaseIfIdle();
        }
    }

    /** Gives the descriptors back if no thread accepts and no selector knows them any more. */
    private void releaseIfIdle() {
        if (isRegistered() || !acceptLock.tryLock()) {
            return;
        }
        try {
            synchronized (stateLock) {
                if (released) {
                    return;
                }
                released = true;
            }
            if (queues != null) {
                queues.release();
            }
            ChannelBridge.unpin(kernel);
            ((SelChImpl) kernel).kill();
        } catch (IOException e) {
            // as the JDK: no caller is left to be told
        } finally {
            acceptLock.unlock();
        }
    }

    // --- what selectors ask ---

    @Override
    public FileDescriptor getFD() {
        AcceptQueues both = queues;
        return both != null ? both.descriptor() : ((SelChImpl) kernel).getFD();
    }

    @Override
    public int getFDVal() {
        AcceptQueues both = queues;
        if (both != null) {
            return both.value();
        }
        polled = true; // this number must not change any more
        return ((SelChImpl) kernel).getFDVal();
    }

    @Override
    public int translateInterestOps(int ops) {
        return ((SelChImpl) kernel).translateInterestOps(ops);
    }

    @Override
    public boolean translateAndSetReadyOps(int ops, SelectionKeyImpl key) {
        return queues == null
                ? ((SelChImpl) kernel).translateAndSetReadyOps(ops, key)
                : translate(0, key);
    }

    @Override
    public boolean translateAndUpdateReadyOps(int ops, SelectionKeyImpl key) {
        return queues == null
                ? ((SelChImpl) kernel).translateAndUpdateReadyOps(ops, key)
                : translate(key.nioReadyOps(), key);
    }

    private boolean translate(int initialOps, SelectionKeyImpl key) {
        int before = key.nioReadyOps();
        int now = initialOps;
        if (queues.anything()) {
            now |= SelectionKey.OP_ACCEPT & key.nioInterestOps();
        }
        key.nioReadyOps(now);
        return (now & ~before) != 0;
    }

    /** For the adaptor. */
    void checkOpen() throws SocketException {
        if (!isOpen()) {
            throw new SocketException("Socket is closed");
        }
    }
}
