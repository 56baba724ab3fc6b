package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.PrivateNatives;
import io.sdp4j.offload.net.SourceAddressSelection;
import io.sdp4j.offload.spi.ConnectSpec;
import java.io.FileDescriptor;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.SelChImpl;

/**
 * The port number of a connection that a provider carries: real, and of no other connection
 * (behaviour 6).
 *
 * <p>Shape: before the connection is up, the application's own kernel channel holds the number if
 * the application has bound it; else {@code holder} does, a channel that is made for an attempt.
 * {@link #take} and {@link #keep} pass the number on. Guarded by the channel's state lock, which
 * callers of {@link #keep} and of the methods after it hold already.
 */
final class HeldPort {
    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    private InetSocketAddress asked; // what the application asked to bind to, or null
    private SocketChannel holder;
    private SocketChannel spare; // becomes the holder in keep; null = keep opens one

    HeldPort(SwitchedConnection connection) {
        this.connection = connection;
        this.channel = connection.channel;
    }

    /** Binds for the application. */
    void bind(SocketAddress address) throws IOException {
        asked(channel.bindKernel(address));
    }

    /** The application has bound, perhaps before there was a switch. */
    void asked(InetSocketAddress address) {
        synchronized (connection.stateLock) {
            asked = address;
        }
    }

    /** Returns the address that the application asked to bind to, or null. */
    InetSocketAddress asked() {
        synchronized (connection.stateLock) {
            return asked;
        }
    }

    /**
     * Returns, for a provider, the local address towards {@code target}; it is found, and bound if
     * necessary, when the provider asks.
     */
    ConnectSpec.LocalAddress towards(InetSocketAddress target) {
        InetSocketAddress bound = asked();
        return ConnectSpec.LocalAddress.of(
                bound == null ? null : bound.getAddress(), source -> localAddress(target, source));
    }

    private InetSocketAddress localAddress(InetSocketAddress target, InetAddress known)
            throws IOException {
        InetAddress source = SourceAddressSelection.towards(target, known);
        synchronized (connection.stateLock) {
            channel.ensureOpen();
            if (asked != null) {
                InetSocketAddress bound = (InetSocketAddress) channel.kernelLocalAddress();
                return bound.getAddress().isAnyLocalAddress()
                        ? new InetSocketAddress(source, bound.getPort())
                        : bound;
            }
            if (holder == null) {
                holder = connection.options.copy();
                holder.bind(new InetSocketAddress(source, 0));
                connection.options.answeredBy(holder);
            }
            return new InetSocketAddress(
                    source, ((InetSocketAddress) holder.getLocalAddress()).getPort());
        }
    }

    /**
     * Throws what the kernel's connect would throw at once. The connect itself would close the
     * channel, and a selector does not report a closed channel.
     */
    void checkRoute(InetSocketAddress target) throws IOException {
        InetSocketAddress from = asked();
        DatagramSocket probe;
        try {
            probe =
                    new DatagramSocket(
                            from == null ? null : new InetSocketAddress(from.getAddress(), 0));
        } catch (SocketException e) {
            return; // no descriptor is left; the kernel's connect needs no new one
        }
        try (probe) {
            probe.connect(target); // sends nothing
        }
    }

    /**
     * Called when the attempt has won: makes the kernel's channel hold the number, unless a
     * selector may know its descriptor.
     */
    void take(boolean polled) throws IOException {
        synchronized (connection.stateLock) {
            if (holder == null || polled || !channel.isOpen()) {
                return;
            }
            SocketChannel before = holder;
            PrivateNatives.duplicate(((SelChImpl) before).getFD(), channel.getFD());
            holder = null;
            connection.options.answeredBy(null);
            before.close();
        }
    }

    /**
     * Called when the attempt failed: gives the number back, and TCP chooses as if there had been
     * no attempt.
     */
    void giveBack() {
        synchronized (connection.stateLock) {
            if (holder != null) {
                try {
                    holder.close();
                } catch (IOException e) {
                    // the number is lost for a while, which does no harm
                }
                holder = null;
                connection.options.answeredBy(null);
            }
        }
    }

    /**
     * Called before the descriptor of the kernel's channel stands for another file: if that channel
     * holds the port number, a copy must hold it from now on.
     *
     * @param polled whether a selector may have registered the descriptor
     */
    void keep(FileDescriptor number, boolean polled) throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        if (holder != null) {
            return;
        }
        SocketChannel copy = spare != null ? spare : connection.options.copy();
        spare = null;
        boolean complete = false;
        try {
            if (polled) {
                bindBeside(copy);
            } else {
                PrivateNatives.duplicate(number, ((SelChImpl) copy).getFD());
            }
            complete = true;
        } finally {
            if (!complete) {
                copy.close();
            }
        }
        holder = copy;
        connection.options.answeredBy(copy);
    }

    /** Takes the descriptor that {@link #keep} will need. Idempotent. */
    void takeSpare() throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        if (spare == null) {
            spare = connection.options.copy();
        }
    }

    /** Closes that descriptor, as {@link #keep} will not come. */
    void closeSpare() throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        if (spare != null) {
            spare.close();
            spare = null;
        }
    }

    /**
     * Returns the descriptor of the TCP socket; null if that is closed, as its number may be
     * another socket's.
     */
    FileDescriptor tcp() {
        assert Thread.holdsLock(connection.stateLock);
        SocketChannel tcp = holder != null ? holder : channel;
        return tcp.isOpen() ? ((SelChImpl) tcp).getFD() : null;
    }

    /**
     * Binds {@code copy} to the same port instead of making it a duplicate. A duplicate would keep
     * the kernel's socket alive, and with it the registrations of selectors, which would report its
     * hang-up forever (behaviour 47). Two sockets with SO_REUSEADDR may be bound to one port as
     * long as neither listens, so the number is ours at every moment.
     */
    private void bindBeside(SocketChannel copy) throws IOException {
        SocketAddress bound = channel.kernelLocalAddress();
        if (bound != null) {
            boolean reuse = channel.kernelOption(StandardSocketOptions.SO_REUSEADDR);
            channel.setKernelOption(StandardSocketOptions.SO_REUSEADDR, true);
            copy.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            copy.bind(bound);
            copy.setOption(StandardSocketOptions.SO_REUSEADDR, reuse);
        }
    }
}
