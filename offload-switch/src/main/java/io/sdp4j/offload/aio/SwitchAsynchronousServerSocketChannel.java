package io.sdp4j.offload.aio;

import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.ListenPort;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ShutdownChannelGroupException;
import java.util.Set;
import java.util.concurrent.Future;

/**
 * An asynchronous listener. The kernel's listener owns the port; if the rules allow it, offload
 * listeners stand beside it and {@code acceptor} takes from both. Without them {@code accept} is
 * the kernel's own. Connections from the kernel are handed out as the JDK made them.
 *
 * <p>{@code stateLock} guards the fields; no handler is called while it is held.
 */
final class SwitchAsynchronousServerSocketChannel extends AsynchronousServerSocketChannel {
    private final OffloadSwitch owner;
    private final SwitchChannelGroup group;
    private final AsynchronousServerSocketChannel kernel;
    private final Object stateLock = new Object();
    private volatile AsyncAcceptor acceptor; // set once, under stateLock
    private volatile Attempt why; // where kernel connections come from; null until bound
    private volatile Integer receiveBuffer; // as it was asked for, or null
    private volatile boolean closed; // set under stateLock

    /** An unbound listener. The caller adds it to the group. */
    SwitchAsynchronousServerSocketChannel(
            OffloadSwitch owner, SwitchChannelGroup group, AsynchronousServerSocketChannel kernel) {
        super(group.provider());
        this.owner = owner;
        this.group = group;
        this.kernel = kernel;
    }

    @Override
    public AsynchronousServerSocketChannel bind(SocketAddress local, int backlog)
            throws IOException {
        // first: the rules may be read from their file, and a close must not wait for that
        Decision decision = ListenPort.decision(owner, local);
        synchronized (stateLock) {
            if (decision == null
                    || !decision.verdict().offloads()
                    || kernel.getLocalAddress() != null) {
                kernel.bind(local, backlog); // which throws if something is wrong
                why = OffloadSwitch.byRule(decision);
            } else if (closed) {
                throw new ClosedChannelException();
            } else {
                listen(decision, local, backlog);
            }
        }
        if (acceptor == null) {
            group.remove(this); // the kernel's channel is a member of the inner group
        }
        return this;
    }

    private void listen(Decision decision, SocketAddress local, int backlog) throws IOException {
        AsyncAcceptor both = new AsyncAcceptor(group, kernel, this);
        try {
            OffloadListeners listening =
                    ListenPort.around(
                            owner,
                            decision,
                            local,
                            backlog,
                            both::onPending,
                            kernel,
                            to -> kernel.bind(to, backlog));
            if (listening.offloads()) {
                both.start(listening);
                acceptor = both;
            }
            why = listening.why();
        } finally {
            if (why == null && kernel.isOpen() && kernel.getLocalAddress() != null) {
                close(); // bound, but without the offload that the rules want
            }
        }
    }

    @Override
    public Future<AsynchronousSocketChannel> accept() {
        AsyncAcceptor both = acceptor;
        if (!isOpen()) {
            return Pending.done(null, new ClosedChannelException());
        }
        return both != null ? both.accept(null, null) : new CountedAccept(this, kernel.accept());
    }

    @Override
    @SuppressWarnings("unchecked")
    public <A> void accept(
            A attachment, CompletionHandler<AsynchronousSocketChannel, ? super A> handler) {
        if (handler == null) {
            throw new NullPointerException("'handler' is null");
        }
        AsyncAcceptor both = acceptor;
        if (both == null) {
            kernel.accept(attachment, new CountedHandler<>(this, handler));
        } else if (isOpen()) {
            Future<AsynchronousSocketChannel> _ =
                    both.accept(
                            attachment,
                            (CompletionHandler<AsynchronousSocketChannel, Object>) handler);
        } else {
            Future<AsynchronousSocketChannel> _ =
                    group.deliver(handler, attachment, null, new ClosedChannelException());
        }
    }

    /** Returns the application's channel for a connection from the kernel's queue. */
    AsynchronousSocketChannel of(AsynchronousSocketChannel accepted) throws IOException {
        if (group.isShutdown()) {
            AsyncAcceptor.closeQuietly(accepted);
            throw shutDown();
        }
        return counted(accepted);
    }

    /**
     * Counts and returns a connection, even if the group was shut down since: a future may be asked
     * long after its accept.
     */
    AsynchronousSocketChannel counted(AsynchronousSocketChannel accepted) {
        AsyncAcceptor both = acceptor;
        Attempt reason = both == null ? why : both.why();
        if (reason != null) { // else it came while bind was still asking providers
            owner.counters().kernelAccepted(reason.reason());
        }
        return accepted;
    }

    /** Returns the application's channel for a connection that a provider has accepted. */
    AsynchronousSocketChannel of(OffloadStream stream) throws IOException {
        SwitchAsynchronousSocketChannel child =
                new SwitchAsynchronousSocketChannel(owner, group, stream, receiveBuffer);
        boolean complete = false;
        try {
            if (!group.add(child)) {
                throw shutDown();
            }
            owner.opened(child);
            complete = true;
            return child;
        } finally {
            if (!complete) {
                child.close();
            }
        }
    }

    /** The exception of an accept whose group was shut down, as in the JDK. */
    private static IOException shutDown() {
        return new IOException(new ShutdownChannelGroupException());
    }

    /** Counts the connection before the application's handler gets it. */
    private record CountedHandler<A>(
            SwitchAsynchronousServerSocketChannel listener,
            CompletionHandler<AsynchronousSocketChannel, ? super A> handler)
            implements CompletionHandler<AsynchronousSocketChannel, A> {
        @Override
        public void completed(AsynchronousSocketChannel accepted, A attachment) {
            AsynchronousSocketChannel child;
            try {
                child = listener.of(accepted);
            } catch (IOException e) {
                handler.failed(e, attachment);
                return;
            }
            handler.completed(child, attachment);
        }

        @Override
        public void failed(Throwable failure, A attachment) {
            handler.failed(failure, attachment);
        }
    }

    @Override
    public <T> AsynchronousServerSocketChannel setOption(SocketOption<T> name, T value)
            throws IOException {
        kernel.setOption(name, value);
        if (name.equals(StandardSocketOptions.SO_RCVBUF)) {
            receiveBuffer = (Integer) value;
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
    public boolean isOpen() {
        return !closed && kernel.isOpen();
    }

    @Override
    public void close() throws IOException {
        synchronized (stateLock) {
            if (closed) {
                return;
            }
            closed = true;
        }
        // The group's threads live as long as it has a member: first the waiting operations end.
        try {
            if (acceptor != null) {
                acceptor.close();
            } else {
                kernel.close();
            }
        } finally {
            group.remove(this);
        }
    }

    @Override
    public String toString() {
        return kernel.toString();
    }
}
