package io.sdp4j.offload;

import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.jdk.KernelSocketSource;
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
 * Binds the kernel's side of a listener. One that asks for any port is given one that the providers
 * can listen on, too: the kernel knows nothing of what else they need, and may draw another.
 *
 * <p>Where that side binds and listens in one step, the providers have to be there first, unless
 * they {@linkplain OffloadSwitch#listensLater may be later}: a connection that is made between the
 * two stays on TCP for life. No listener can be early at a port that the kernel draws, so only a
 * port that was asked for matters. While the providers begin to listen, a socket of our own that is
 * bound and does not listen shows that no other socket listens there; they would take its clients.
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
        Decision decision = owner.policy().decide(Role.LISTEN, at);
        if (!decision.verdict().offloads() || owner.listensLater(decision)) {
            return null;
        }
        int port = owner.choosePort(decision, () -> draw(owner, at.getAddress()));
        return port == 0 ? null : new InetSocketAddress(at.getAddress(), port);
    }

    private static InetSocketAddress draw(OffloadSwitch owner, InetAddress address) {
        KernelSocket probe = owner.kernel().server();
        try {
            probe.create();
            try {
                probe.bind(address, 0);
                return probe.localAddress();
            } finally {
                probe.close();
            }
        } catch (IOException e) {
            return null; // as its bind will find out
        }
    }

    /**
     * Binds the kernel's listener, with the providers beside it.
     *
     * @param asked what the application asked to bind to; null is any address, any port
     * @param backlog likewise
     * @param onPending called by providers when a stream waits
     * @param kernel that {@code bind} binds, and which listens then
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

    /** Whether a listener there takes IPv4 as well. */
    public static boolean dualStack(InetSocketAddress at) {
        return at.getAddress() instanceof Inet6Address && at.getAddress().isAnyLocalAddress();
    }

    /** Null if there is no hurry, or the kernel will say what is wrong. */
    private static KernelSocket holder(OffloadSwitch owner, Decision decision, SocketAddress asked)
            throws IOException {
        if (!(asked instanceof InetSocketAddress at)
                || at.isUnresolved()
                || at.getPort() == 0
                || owner.kernel() != KernelSocketSource.JDK // another one's would listen, too
                || owner.listensLater(decision)) {
            return null;
        }
        KernelSocket holder = owner.kernel().server();
        holder.create();
        try {
            holder.bind(at.getAddress(), at.getPort());
            return holder;
        } catch (IOException e) {
            holder.close();
            return null;
        }
    }

    /** The rules' verdict on a listener; null where the kernel will report its fault. */
    public static Decision decision(OffloadSwitch owner, SocketAddress asked) {
        SocketAddress any = asked == null ? new InetSocketAddress(0) : asked;
        return any instanceof InetSocketAddress at && !at.isUnresolved()
                ? owner.policy().decide(Role.LISTEN, at)
                : null;
    }
}
