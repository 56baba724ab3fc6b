package io.sdp4j.offload;

import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.policy.Decision;
import io.sdp4j.policy.Role;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.NetworkChannel;

/**
 * Binds the kernel's side of a listener. A listener that asks for any port gets one on which the
 * providers can listen, too: the kernel does not know what they need, and may choose another.
 *
 * <p>If the kernel's side binds and listens in one step, the providers must listen before it,
 * unless they {@linkplain OffloadSwitch#listensLater may be later}: a connection that comes between
 * the two steps stays on TCP. That is possible only for a port that the application names, not for
 * one that the kernel chooses. While the providers begin to listen, we hold the port by a socket
 * that is bound and does not listen. This shows that no other socket listens there, whose clients
 * the providers would take.
 */
public final class ListenPort {
    /** Binds the kernel's listener; a port that was not asked for may be tried first. */
    @FunctionalInterface
    public interface Bind {
        void to(SocketAddress address) throws IOException;
    }

    private ListenPort() {}

    /**
     * @param asked the address that the application asked for, of any class; null is any address,
     *     any port
     */
    public static void bind(OffloadSwitch owner, SocketAddress asked, Bind kernel)
            throws IOException {
        InetSocketAddress chosen = choose(owner, asked);
        if (chosen != null) {
            try {
                kernel.to(chosen);
                return;
            } catch (BindException e) {
                // another socket was faster: the kernel chooses the port
            }
        }
        kernel.to(asked);
    }

    private static InetSocketAddress choose(OffloadSwitch owner, SocketAddress asked) {
        SocketAddress any = asked == null ? new InetSocketAddress(0) : asked;
        if (!(any instanceof InetSocketAddress at) || at.isUnresolved() || at.getPort() != 0) {
            return null;
        }
        Decision decision = owner.policy().decide(Role.LISTEN, at);
        if (!decision.verdict().offloads() || owner.listensLater(decision)) {
            return null;
        }
        int port = owner.choosePort(decision, () -> draw(at.getAddress()));
        return port == 0 ? null : new InetSocketAddress(at.getAddress(), port);
    }

    private static InetSocketAddress draw(InetAddress address) {
        KernelSocket probe = KernelSocket.server();
        try {
            probe.create();
            try {
                probe.bind(address, 0);
                return probe.localAddress();
            } finally {
                probe.close();
            }
        } catch (IOException e) {
            return null; // the listener's own bind will report it
        }
    }

    /**
     * Binds the kernel's listener in one step with its listen, and makes the providers listen
     * beside it.
     *
     * @param asked the address that the application asked for; null is any address, any port
     * @param backlog streams that may wait, as the application asked for them
     * @param onPending called by providers when a stream waits
     * @param kernel the channel that {@code bind} binds, and which then listens
     */
    public static OffloadListeners around(
            OffloadSwitch owner,
            Decision decision,
            SocketAddress asked,
            int backlog,
            Runnable onPending,
            NetworkChannel kernel,
            Bind bind)
            throws IOException {
        InetSocketAddress expected = null;
        OffloadListeners early = null;
        boolean complete = false;
        try {
            KernelSocket holder = holder(owner, decision, asked);
            if (holder != null) {
                try {
                    expected = holder.localAddress();
                    early =
                            owner.listen(
                                    decision, expected, dualStack(expected), backlog, onPending);
                } finally {
                    holder.close();
                }
            }
            bind(owner, asked, bind);
            InetSocketAddress at = (InetSocketAddress) kernel.getLocalAddress();
            if (early != null && !at.equals(expected)) {
                early.close();
                early = null;
            }
            OffloadListeners listening =
                    early != null
                            ? early
                            : owner.listen(decision, at, dualStack(at), backlog, onPending);
            complete = true;
            return listening;
        } finally {
            if (!complete && early != null) {
                early.close();
            }
        }
    }

    /** Whether a listener at this address takes IPv4 as well. */
    public static boolean dualStack(InetSocketAddress at) {
        return at.getAddress() instanceof Inet6Address && at.getAddress().isAnyLocalAddress();
    }

    /**
     * Returns a socket that holds the port while the providers begin to listen; null if that is not
     * needed or not possible. If the bind fails here, the listener's own bind will report it.
     */
    private static KernelSocket holder(OffloadSwitch owner, Decision decision, SocketAddress asked)
            throws IOException {
        if (!(asked instanceof InetSocketAddress at)
                || at.isUnresolved()
                || at.getPort() == 0
                || owner.listensLater(decision)) {
            return null;
        }
        KernelSocket holder = KernelSocket.server();
        holder.create();
        try {
            holder.bind(at.getAddress(), at.getPort());
            return holder;
        } catch (IOException e) {
            holder.close();
            return null;
        }
    }

    /**
     * The rules' decision on a listener; null if the kernel will report what is wrong with the
     * address.
     */
    public static Decision decision(OffloadSwitch owner, SocketAddress asked) {
        SocketAddress any = asked == null ? new InetSocketAddress(0) : asked;
        return any instanceof InetSocketAddress at && !at.isUnresolved()
                ? owner.policy().decide(Role.LISTEN, at)
                : null;
    }
}
