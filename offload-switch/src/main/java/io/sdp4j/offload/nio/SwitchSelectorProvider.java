package io.sdp4j.offload.nio;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.CountedKernel;
import sun.nio.ch.EPollSelectorProvider;
import sun.nio.ch.EarlyConnection;
import sun.nio.ch.ListeningChannel;

/**
 * The JDK's own provider with other stream-socket channels. Selectors, datagram channels, pipes,
 * UNIX-domain and inherited channels are the JDK's. So is every stream-socket channel that no rule
 * could ever offload (behaviours 88 and 98).
 */
final class SwitchSelectorProvider extends EPollSelectorProvider {
    final OffloadSwitch owner;

    SwitchSelectorProvider(OffloadSwitch owner) {
        this.owner = owner;
    }

    private ServerSocketChannel listener(ProtocolFamily family) throws IOException {
        return own(new ListeningChannel(this, family, new SwitchListener(this)));
    }

    /** Reports a new channel to the code that made the switch, which may close it later. */
    <C extends Channel> C own(C channel) {
        owner.opened(channel);
        return channel;
    }

    private boolean mayOffload(Role role) {
        return !KernelSockets.active() && owner.policy().canOffload(role);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return mayOffload(Role.CONNECT) ? toConnect(null) : own(super.openSocketChannel());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return family != null && family != StandardProtocolFamily.UNIX && mayOffload(Role.CONNECT)
                ? toConnect(family)
                : own(super.openSocketChannel(family));
    }

    @Override
    public ServerSocketChannel openServerSocketChannel() throws IOException {
        return mayOffload(Role.LISTEN) ? listener(null) : own(super.openServerSocketChannel());
    }

    @Override
    public ServerSocketChannel openServerSocketChannel(ProtocolFamily family) throws IOException {
        return family != null && family != StandardProtocolFamily.UNIX && mayOffload(Role.LISTEN)
                ? listener(family)
                : own(super.openServerSocketChannel(family));
    }

    /** Opens a channel of the JDK's own; null = of the default family. */
    SocketChannel kernelChannel(ProtocolFamily family) throws IOException {
        return family == null ? super.openSocketChannel() : super.openSocketChannel(family);
    }

    // --- the channels of connections ---

    private SwitchedConnection connection(
            ConnectionChannel channel, ProtocolFamily family, boolean byProvider) {
        return new SwitchedConnection(
                this, channel, family, byProvider, new ReentrantLock(), new ReentrantLock());
    }

    /** Opens a channel to connect, of the family that the application asked for, or null. */
    private SocketChannel toConnect(ProtocolFamily family) throws IOException {
        ConnectionChannel channel = new ConnectionChannel(this, family);
        return connection(channel, family, false).open();
    }

    /**
     * Returns the channel of a connection that a provider has accepted for {@code listener}; null
     * if none waits. The channel is made first: if there is no descriptor for it, the connection
     * goes on waiting.
     */
    SocketChannel accepted(ListeningChannel listener, OffloadListeners from) throws IOException {
        ConnectionChannel channel = new ConnectionChannel(this, listener.family());
        SwitchedConnection c = connection(channel, listener.family(), true);
        ConnectionChannel opened = c.open();
        OffloadStream stream = null;
        boolean complete = false;
        try {
            stream = from.poll();
            if (stream != null) {
                c.accept(stream, listener.receiveBuffer());
                complete = true;
            }
        } finally {
            if (!complete) {
                if (stream != null) {
                    stream.close(true);
                }
                opened.close();
            }
        }
        return complete ? opened : null;
    }

    /**
     * Returns the channel of a connection that the kernel has accepted; it moves if the peer asks.
     */
    SocketChannel accepted(
            ListeningChannel listener, SocketChannel byTcp, AcceptedTable table, Attempt why)
            throws IOException {
        ConnectionChannel channel = new ConnectionChannel(this, listener.family(), byTcp);
        SwitchedConnection c = connection(channel, listener.family(), false);
        SocketChannel opened = c.open();
        c.acceptedByKernel(table, why);
        return opened;
    }

    /** Goes on with a channel that was made before the switch had started. */
    void goOn(ConnectionChannel channel) throws IOException {
        if (!(channel.decider() instanceof EarlyConnection early)) {
            return;
        }
        if (!early.mayMove()) {
            if (!channel.kernelConnected() && !channel.kernelConnecting()) {
                connection(channel, early.family, false).goOn(early, null, null, null);
            }
            return;
        }
        Decision decision = null;
        AcceptedTable table = null;
        Attempt why = OffloadSwitch.YOUNG;
        InetSocketAddress to = (InetSocketAddress) channel.kernelRemoteAddress();
        if (early.listener == null) {
            decision = owner.policy().decide(early.asked(), to);
            if (!owner.beginsOnKernel(decision, to)) {
                return;
            }
        } else if (early.listener.beside() instanceof SwitchListener listener) {
            why = listener.whyByTcp();
            table = listener.table((InetSocketAddress) channel.kernelLocalAddress(), to);
        }
        if (decision != null || table != null) {
            CountedKernel counted = early.counted();
            new SwitchedConnection(
                            this, channel, early.family, false, counted.readLock, counted.writeLock)
                    .goOn(early, decision, table, why);
        }
    }
}
