package io.sdp4j.offload.nio;

import io.sdp4j.offload.AcceptedTable;
import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.policy.Decision;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.ReentrantLock;
import sun.nio.ch.ConnectionChannel;
import sun.nio.ch.CountedKernel;
import sun.nio.ch.EarlyConnection;
import sun.nio.ch.ListeningChannel;

/** Makes the channels of a switch's connections. Stateless. */
final class NewConnections {
    private NewConnections() {}

    private static SwitchedConnection connection(
            SwitchSelectorProvider provider,
            ConnectionChannel channel,
            ProtocolFamily family,
            boolean byProvider) {
        return new SwitchedConnection(
                provider, channel, family, byProvider, new ReentrantLock(), new ReentrantLock());
    }

    /**
     * A channel to connect.
     *
     * @param family that was asked for, or null
     */
    static SocketChannel toConnect(SwitchSelectorProvider provider, ProtocolFamily family)
            throws IOException {
        ConnectionChannel channel = new ConnectionChannel(provider, family);
        return connection(provider, channel, family, false).open();
    }

    /**
     * The channel of a connection that a provider has accepted for {@code listener}; null if none
     * waits. The channel comes first: where there is no descriptor for it the connection waits on.
     */
    static SocketChannel accepted(
            SwitchSelectorProvider provider, ListeningChannel listener, OffloadListeners from)
            throws IOException {
        ConnectionChannel channel = new ConnectionChannel(provider, listener.family());
        SwitchedConnection c = connection(provider, channel, listener.family(), true);
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

    /** The channel of a connection that the kernel has accepted: it moves if the peer asks. */
    static SocketChannel accepted(
            SwitchSelectorProvider provider,
            ListeningChannel listener,
            SocketChannel byTcp,
            AcceptedTable table,
            Attempt why)
            throws IOException {
        ConnectionChannel channel = new ConnectionChannel(provider, listener.family(), byTcp);
        SwitchedConnection c = connection(provider, channel, listener.family(), false);
        SocketChannel opened = c.open();
        c.acceptedByKernel(table, why);
        return opened;
    }

    /** Goes on with a channel that was made before the switch had started. */
    static void goOn(SwitchSelectorProvider provider, ConnectionChannel channel)
            throws IOException {
        if (!(channel.decider() instanceof EarlyConnection early)) {
            return;
        }
        if (!early.mayMove()) {
            if (!channel.kernelConnected() && !channel.kernelConnecting()) {
                connection(provider, channel, early.family(), false).goOn(early, null, null, null);
            }
            return;
        }
        Decision decision = null;
        AcceptedTable table = null;
        Attempt why = OffloadSwitch.YOUNG;
        InetSocketAddress to = (InetSocketAddress) channel.kernelRemoteAddress();
        if (early.listener() == null) {
            decision = provider.owner().policy().decide(early.asked(), to);
            if (!provider.owner().beginsOnKernel(decision, to)) {
                return;
            }
        } else if (early.listener().beside() instanceof SwitchListener listener) {
            why = listener.whyByTcp();
            table = listener.table((InetSocketAddress) channel.kernelLocalAddress(), to);
        }
        if (decision != null || table != null) {
            CountedKernel counted = early.counted();
            new SwitchedConnection(
                            provider,
                            channel,
                            early.family(),
                            false,
                            counted.readLock,
                            counted.writeLock)
                    .goOn(early, decision, table, why);
        }
    }
}
