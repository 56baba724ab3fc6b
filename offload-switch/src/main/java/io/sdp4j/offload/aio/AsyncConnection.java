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
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ConnectionPendingException;
import java.util.Optional;
import java.util.concurrent.Future;

/**
 * The life of an asynchronous channel: how it gets a connection, from the kernel's TCP or an
 * offload provider, and closes.
 *
 * <p>Shape: {@code side} has the JDK's own channel, which does everything until an offload attempt
 * begins, and again once the connection goes through the kernel. In an offloaded connection {@code
 * offloaded} carries the data, and the kernel's channel stays, unconnected, to hold the port number
 * and to answer for options. {@code stateLock} guards the state and every field without a comment
 * that says otherwise; no thread blocks, and no handler is called, while it is held.
 */
abstract class AsyncConnection extends AsynchronousSocketChannel {
    enum State {
        UNDECIDED,
        CONNECTING,
        KERNEL,
        OFFLOADED
    }

    private final OffloadSwitch owner;
    final SwitchChannelGroup group;
    final Object stateLock = new Object();
    final KernelSide side; // stateLock, except for the look at its volatile fields

    State state;
    volatile boolean closed; // set under stateLock, only here
    volatile AsyncStream offloaded; // set once, under stateLock
    private ConnectOperation connecting;
    InetSocketAddress local; // of an offloaded connection
    InetSocketAddress remote; // of an offloaded connection, as the application gave it

    /**
     * An unconnected channel. The caller adds it to the group, and then reports it to the switch.
     */
    AsyncConnection(
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
    AsyncConnection(
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
            AsyncStream ready = new AsyncStream(stream, group, owner.counters(), this);
            owner.counters().opened(stream.info(), true);
            this.offloaded = ready;
        } finally {
            if (offloaded == null) { // no other code knows of it
                stream.close(true);
            }
        }
    }

    /** Where the connection runs, why, and what it has carried; empty while there is none. */
    public final Optional<ConnectionInfo> connectionInfo() {
        AsyncStream stream = offloaded;
        if (stream != null) {
            return Optional.ofNullable(stream.info());
        }
        noteEstablished();
        return side.connectionInfo();
    }

    /** Begins to connect; the outcome goes to {@code handler}, or if it is null to the result. */
    final Future<Void> begin(
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
    final ConnectSpec.LocalAddress localAddressTowards(InetSocketAddress target) {
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
    final void adopt(OffloadStream stream, InetSocketAddress target)
            throws AsynchronousCloseException {
        synchronized (stateLock) {
            if (!closed) {
                try {
                    local = stream.localAddress();
                    remote = target;
                    AsyncStream ready = new AsyncStream(stream, group, owner.counters(), this);
                    if (connecting.cancelled()) {
                        ready.kill();
                    }
                    if (side.keepAlive()) {
                        ready.keepAlive(true);
                    }
                    owner.counters().opened(stream.info(), false);
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
    final AsynchronousSocketChannel fallBack(Attempt why) throws IOException {
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
    final void connected() {
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
    final void noteEstablished() {
        if (!side.counted) {
            synchronized (stateLock) {
                side.noteEstablished();
            }
        }
    }

    @Override
    public final boolean isOpen() {
        return !closed && (offloaded != null || side.kernel.isOpen());
    }

    @Override
    public final void close() throws IOException {
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
    final void closeAfter(Throwable reason) {
        try {
            close();
        } catch (IOException e) {
            reason.addSuppressed(e);
        }
    }
}
