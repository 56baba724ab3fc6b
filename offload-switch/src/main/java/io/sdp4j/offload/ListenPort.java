package io.sdp4j.offload;

import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOptions;

/**
 * Binds the kernel's side of a listener. One that asks for any port is given one that the providers
 * can listen on, too: the kernel knows nothing of what else they need, and may draw another.
 */
public final class ListenPort {
    /** Binds the kernel's listener; a port that was not asked for may be tried first. */
    @FunctionalInterface
    public interface Bind {
        void to(SocketAddress address) throws IOException;
    }

    private ListenPort() {}

    /**
     * @param asked what the application asked to bind to, whatever that may be; null is any
     *     address, any port
     */
    public static void bind(OffloadSwitch owner, SocketAddress asked, Bind kernel)
            throws IOException {
        InetSocketAddress chosen = choose(owner, asked);
        if (chosen != null) {
            try {
                kernel.to(chosen);
                return;
            } catch (BindException e) {
                // another socket was faster: as the kernel likes it
            }
        }
        kernel.to(asked);
    }

    private static InetSocketAddress choose(OffloadSwitch owner, SocketAddress asked) {
        SocketAddress any = asked == null ? new InetSocketAddress(0) : asked;
        if (!(any instanceof InetSocketAddress at) || at.isUnresolved() || at.getPort() != 0) {
            return null;
        }
        int port = choose(owner, at);
        return port == 0 ? null : new InetSocketAddress(at.getAddress(), port);
    }

    private static int choose(OffloadSwitch owner, InetSocketAddress asked) {
        Decision decision = owner.policy().decide(Role.LISTEN, asked);
        if (!decision.verdict().offloads() || owner.listensLater(decision)) {
            return 0;
        }
        return owner.choosePort(decision, () -> draw(owner, asked.getAddress()));
    }

    private static InetSocketAddress draw(OffloadSwitch owner, InetAddress address) {
        KernelSocket probe = owner.kernel().server();
        try {
            probe.create();
            try {
                probe.bind(address, 0);
                InetAddress at = (InetAddress) probe.option(SocketOptions.SO_BINDADDR);
                return new InetSocketAddress(at, probe.localPort());
            } finally {
                probe.close();
            }
        } catch (IOException e) {
            return null; // as its bind will find out
        }
    }
}
