package io.sdp4j.offload.nio;

import io.sdp4j.offload.jdk.JdkBridge;
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
 * <p>Shape: the kernel's channel of the application holds it if the application has bound; else
 * {@code holder}, a channel that is made for an attempt. Guarded by the channel's state lock, which
 * callers of {@link #bind} and {@link #keep} hold already.
 */
final class HeldPort {
    private final SwitchedConnection connection;
    private final ConnectionChannel channel;
    private InetSocketAddress asked; // what the application asked to bind to, or null
    private SocketChannel holder;
    private SocketChannel spare; // for keep to make the holder of; null = it opens one

    HeldPort(SwitchedConnection connection) {
        this.connection = connection;
        this.channel = connection.channel;
    }

    /** For the application. */
    void bind(SocketAddress address) throws IOException {
        asked(channel.bindKernel(address));
    }

    /** The application has bound, perhaps before there was a switch. */
    void asked(InetSocketAddress address) {
        synchronized (connection.stateLock) {
            asked = address;
        }
    }

    /** The address that the application asked to bind to, or null. */
    InetSocketAddress asked() {
        synchronized (connection.stateLock) {
            return asked;
        }
    }

    /** For a provider: finds, if need be binds, the local address of a way to {@code target}. */
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
     * Throws what the kernel's connect would throw at once. It would close the channel, and a
     * selector would not tell of one that is closed.
     */
    void checkRoute(InetSocketAddress target) throws IOException {
        InetSocketAddress from = asked();
        DatagramSocket probe;
        try {
            probe =
                    new DatagramSocket(
                            from == null ? null : new InetSocketAddress(from.getAddress(), 0));
        } catch (SocketException e) {
            return; // no descriptor is left, which the kernel's connect does not need
        }
        try (probe) {
            probe.connect(target); // sends nothing
        }
    }

    /**
     * The attempt has won: the kernel's channel holds the number itself from now on, unless a
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

    /** The attempt failed; TCP shall choose as if there had been none. */
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
     * The descriptor of the kernel's channel is about to stand for something else: if it holds the
     * port number, a copy must.
     *
     * @param polled whether a selector may have registered it
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

    /** There will be no {@link #keep}. */
    void closeSpare() throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        if (spare != null) {
            spare.close();
            spare = null;
        }
    }

    /** See {@link JdkBridge#takeReset}. The number of a closed one may be another socket's. */
    boolean takeReset(boolean ends) throws IOException {
        assert Thread.holdsLock(connection.stateLock);
        SocketChannel tcp = holder != null ? holder : channel;
        return tcp.isOpen() && JdkBridge.takeReset(((SelChImpl) tcp).getFD(), ends);
    }

    /**
     * A duplicate would keep the kernel's socket alive, and with it what selectors have registered,
     * which would report its hang-up for ever (behaviour 47). Two sockets that both ask for it may
     * be bound to one port as long as neither listens, so the number is ours at every moment.
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
