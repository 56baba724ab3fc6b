package io.sdp4j.linux;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;

/**
 * Whether an address is one of this host's own, by the kernel's routes: a socket may be bound to
 * others, too ({@code IP_FREEBIND}).
 *
 * <p>Source: rtnetlink(7), {@code RTM_GETROUTE}.
 */
public final class LocalRoute {
    private static final int NETLINK_ROUTE = 0;
    private static final int RTM_NEWROUTE = 24;
    private static final int RTM_GETROUTE = 26;
    private static final int NLM_F_REQUEST = 1;
    private static final int RTA_DST = 1;
    private static final int RTA_OIF = 4;
    private static final int RTN_LOCAL = 2;
    private static final int HEADER_BYTES = 16 + 12;
    private static final int ROUTE_TYPE = 16 + 7;
    private static final int REPLY_BYTES = 1024;

    private LocalRoute() {}

    /**
     * Asks the kernel, unless it is a loopback address. Where it gives no answer, as in a sandbox
     * without netlink, the addresses of the interfaces must do. False if that is of no use.
     */
    public static boolean leadsTo(InetAddress address) {
        return leadsTo(address, NETLINK_ROUTE);
    }

    static boolean leadsTo(InetAddress address, int protocol) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        try (SyscallBuffer m = SyscallBuffer.allocate(REPLY_BYTES)) {
            fill(m, address);
            long r = NetlinkSocket.ask(protocol, m);
            return r < 0
                    ? isOnInterface(address)
                    : r >= HEADER_BYTES
                            && m.getShort(4) == RTM_NEWROUTE
                            && m.getByte(ROUTE_TYPE) == RTN_LOCAL;
        }
    }

    private static boolean isOnInterface(InetAddress address) {
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException e) {
            return false;
        }
    }

    private static void fill(SyscallBuffer m, InetAddress address) {
        byte[] ip = address.getAddress();
        m.putShort(4, RTM_GETROUTE);
        m.putShort(6, NLM_F_REQUEST);
        m.putByte(16, ip.length == 4 ? 2 : 10);
        m.putByte(17, 8 * ip.length);
        int at = HEADER_BYTES;
        m.putShort(at, 4 + ip.length);
        m.putShort(at + 2, RTA_DST);
        m.copyIn(ip, 0, at + 4, ip.length);
        at += 4 + ip.length;
        if (address instanceof Inet6Address six && six.getScopeId() != 0) {
            m.putShort(at, 8);
            m.putShort(at + 2, RTA_OIF);
            m.putInt(at + 4, six.getScopeId());
            at += 8;
        }
        m.putInt(0, at);
    }
}
