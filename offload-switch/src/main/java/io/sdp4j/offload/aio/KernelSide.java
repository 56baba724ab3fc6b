package io.sdp4j.offload.aio;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.OptionLog;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Policy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Optional;
import java.util.Set;

/**
 * The JDK's own channel inside a channel of the switch. It carries the connection, or holds the
 * port of an offloaded connection and answers for options. An accepted offloaded channel has none
 * until an option is asked for.
 *
 * <p>The state lock of the switch's channel guards all fields but the volatile ones.
 */
final class KernelSide {
    private final OffloadSwitch owner;
    private final SwitchChannelGroup group;
    private final Integer receiveBuffer; // set on the listener, or null
    volatile AsynchronousSocketChannel kernel; // null = accepted, and no option was asked for yet
    volatile boolean counted;
    private volatile boolean killed; // its connect was cancelled
    private volatile ConnectionInfo info; // why the kernel carries it; null if it does not
    private OptionLog options; // null until one is set
    private InetSocketAddress asked; // what the application asked to bind to, or null
    private boolean holdsPort; // kernel is bound by us, for an offload attempt

    KernelSide(
            OffloadSwitch owner,
            SwitchChannelGroup group,
            AsynchronousSocketChannel kernel,
            Integer receiveBuffer) {
        this.owner = owner;
        this.group = group;
        this.kernel = kernel;
        this.receiveBuffer = receiveBuffer;
    }

    Decision decision(Policy rules, InetSocketAddress target) {
        return rules.decide(asked, target);
    }

    /** Throws what the JDK's own channel throws for an address that it cannot connect to. */
    static void check(SocketAddress target) {
        if (target == null) {
            throw new NullPointerException();
        }
        if (!(target instanceof InetSocketAddress address)) {
            throw new UnsupportedAddressTypeException();
        }
        if (address.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
    }

    // --- carrying the connection ---

    /** Notes that the kernel connects, and why. */
    void goOn(Attempt why) {
        info = why.kernelInfo();
    }

    /**
     * As {@link #goOn}, after an offload attempt that has failed and may have bound the channel.
     * TCP gets a new channel then, so that it chooses its own port, unless the group takes no
     * channel any more.
     */
    void fallBack(Attempt why) throws IOException {
        goOn(why);
        if (!holdsPort) {
            return;
        }
        holdsPort = false;
        AsynchronousSocketChannel fresh;
        try {
            fresh = group.openKernel();
        } catch (ShutdownChannelGroupException e) {
            return;
        }
        AsynchronousSocketChannel old = kernel;
        kernel = fresh;
        old.close();
        if (options != null) {
            options.applyTo(fresh);
        }
    }

    void noteEstablished() {
        if (counted || info == null) {
            return;
        }
        SocketAddress remote;
        try {
            remote = kernel.getRemoteAddress();
            if (remote == null) {
                return;
            }
        } catch (IOException e) {
            return; // closed before it was up
        }
        counted = true;
        owner.kernelConnected(
                remote instanceof InetSocketAddress address ? address : null, info.reason());
    }

    Optional<ConnectionInfo> connectionInfo() {
        return counted ? Optional.of(info) : Optional.empty();
    }

    /** Forbids reads and writes, as the connect was cancelled. */
    void kill() {
        killed = true;
    }

    void checkNotKilled(String what) {
        if (killed && kernel.isOpen()) {
            throw new IllegalStateException(what + " not allowed due to timeout or cancellation");
        }
    }

    // --- addresses ---

    void bind(SocketAddress address) throws IOException {
        kernel.bind(address);
        asked = address == null ? new InetSocketAddress(0) : (InetSocketAddress) address;
    }

    /** The address that the application asked to bind to, or null. */
    InetAddress bound() {
        return asked == null ? null : asked.getAddress();
    }

    /**
     * The local address, as the application may know it: null while only an offload attempt has
     * bound the channel.
     */
    SocketAddress localAddress() throws IOException {
        return holdsPort && info == null ? null : kernel.getLocalAddress();
    }

    /**
     * Binds the kernel's channel to {@code source}, unless it is bound already (behaviour 6), and
     * returns the address.
     */
    InetSocketAddress holdPort(InetAddress source) throws IOException {
        if (kernel.getLocalAddress() == null) {
            kernel.bind(new InetSocketAddress(source, 0));
            holdsPort = true;
        }
        InetSocketAddress bound = (InetSocketAddress) kernel.getLocalAddress();
        return bound.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(source, bound.getPort())
                : bound;
    }

    // --- options ---

    void checkOption(SocketOption<?> name) {
        if (name == null) {
            throw new NullPointerException();
        }
        if (!supportedOptions().contains(name)) {
            throw new UnsupportedOperationException("'" + name + "' not supported");
        }
    }

    Set<SocketOption<?>> supportedOptions() {
        AsynchronousSocketChannel current = kernel;
        return current != null ? current.supportedOptions() : group.socketOptions();
    }

    <T> void setOption(SocketOption<T> name, T value) throws IOException {
        optionChannel().setOption(name, value);
        if (info == null) {
            if (options == null) {
                options = new OptionLog();
            }
            options.put(name, value);
        }
    }

    /** Whether the application has set SO_KEEPALIVE. */
    boolean keepAlive() {
        return options != null && options.isOn(StandardSocketOptions.SO_KEEPALIVE);
    }

    <T> T option(SocketOption<T> name) throws IOException {
        return optionChannel().getOption(name);
    }

    /**
     * Returns the channel that holds the options. Opens one if need be, outside the group, which
     * may refuse new channels already.
     */
    private AsynchronousSocketChannel optionChannel() throws IOException {
        if (kernel == null) {
            AsynchronousSocketChannel fresh = group.openKernelOutside();
            kernel = fresh;
            fresh.setOption(StandardSocketOptions.SO_REUSEADDR, true); // as accepted ones have it
            if (receiveBuffer != null) {
                fresh.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
            }
        }
        return kernel;
    }

    void close() throws IOException {
        AsynchronousSocketChannel current = kernel;
        if (current != null) {
            current.close();
        }
    }
}
