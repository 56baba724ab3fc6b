package io.sdp4j.offload.nio;

import io.sdp4j.api.KernelSockets;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.nio.channels.Channel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import sun.nio.ch.EPollSelectorProvider;
import sun.nio.ch.ListeningChannel;

/**
 * The JDK's own provider with other stream-socket channels. Selectors, datagram channels, pipes,
 * UNIX-domain and inherited channels are the JDK's, and so is every stream-socket channel that no
 * rule could ever offload (behaviours 88 and 98).
 */
final class SwitchSelectorProvider extends EPollSelectorProvider {
    private final OffloadSwitch owner;

    SwitchSelectorProvider(OffloadSwitch owner) {
        this.owner = owner;
    }

    private ServerSocketChannel listener(ProtocolFamily family) throws IOException {
        return own(new ListeningChannel(this, family, new SwitchListener(this)));
    }

    /** It is closed with what has opened the provider. */
    <C extends Channel> C own(C channel) {
        owner.opened(channel);
        return channel;
    }

    OffloadSwitch owner() {
        return owner;
    }

    private boolean mayOffload(Role role) {
        return !KernelSockets.active() && owner.policy().canOffload(role);
    }

    @Override
    public SocketChannel openSocketChannel() throws IOException {
        return mayOffload(Role.CONNECT)
                ? NewConnections.toConnect(this, null)
                : own(super.openSocketChannel());
    }

    @Override
    public SocketChannel openSocketChannel(ProtocolFamily family) throws IOException {
        return family != null && family != StandardProtocolFamily.UNIX && mayOffload(Role.CONNECT)
                ? NewConnections.toConnect(this, family)
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

    /** One of the JDK's own, of {@code family} or if that is null of the default one. */
    SocketChannel kernelChannel(ProtocolFamily family) throws IOException {
        return family == null ? super.openSocketChannel() : super.openSocketChannel(family);
    }
}
