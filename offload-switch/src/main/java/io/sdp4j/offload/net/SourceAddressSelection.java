package io.sdp4j.offload.net;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.UnknownHostException;

/** Finds the local address that TCP would use for a destination. Stateless. */
public final class SourceAddressSelection {
    private SourceAddressSelection() {}

    /** Replaces a wildcard address by the loopback address, as the kernel does in a connect. */
    public static InetSocketAddress reachable(InetSocketAddress remote) {
        if (!remote.getAddress().isAnyLocalAddress()) {
            return remote;
        }
        boolean four = remote.getAddress() instanceof Inet4Address;
        return new InetSocketAddress(
                InetAddress.ofLiteral(four ? "127.0.0.1" : "::1"), remote.getPort());
    }

    /**
     * The source address for {@code remote}: {@code known}, where it will do, else by the kernel's
     * routes.
     *
     * @param known what was found in them before, or null; one that needs a scope will not do
     */
    public static InetAddress towards(InetSocketAddress remote, InetAddress known)
            throws IOException {
        return known == null
                        || known.isAnyLocalAddress()
                        || known.isLinkLocalAddress()
                        || known.getClass() != remote.getAddress().getClass()
                ? towards(remote)
                : known;
    }

    /**
     * Returns the source address that the kernel's routes give.
     *
     * <p>Loopback needs no look-up: all of 127/8 is reached from 127.0.0.1 (the preferred source of
     * that local route), and another address of this host from itself.
     */
    public static InetAddress towards(InetSocketAddress remote) throws IOException {
        InetAddress address = remote.getAddress();
        if (address.isLoopbackAddress()) {
            return address instanceof Inet4Address
                    ? InetAddress.ofLiteral("127.0.0.1")
                    : nameless(address);
        }
        if (NetworkInterface.getByInetAddress(address) != null) {
            return nameless(address);
        }
        try (DatagramSocket probe = new DatagramSocket((SocketAddress) null)) {
            probe.connect(remote); // sends nothing, only asks the routes
            return probe.getLocalAddress();
        }
    }

    /**
     * Returns the address without its host name, which is the peer's; a socket's own address has
     * none.
     */
    private static InetAddress nameless(InetAddress address) throws UnknownHostException {
        byte[] bytes = address.getAddress();
        int scope = address instanceof Inet6Address six ? six.getScopeId() : 0;
        return scope == 0
                ? InetAddress.getByAddress(bytes)
                : Inet6Address.getByAddress(null, bytes, scope);
    }
}
