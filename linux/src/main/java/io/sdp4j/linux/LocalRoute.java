package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;

/**
 * Whether an address is one of this host's own, by the kernel's routes: a socket may be bound to
 * others, too ({@code IP_FREEBIND}).
 *
 * <p>Source: rtnetlink(7), {@code RTM_GETROUTE}.
 */
public final class LocalRoute {
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
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
    private static final int MSG_DONTWAIT = 0x40;

    private LocalRoute() {}

    /** Asks the kernel, unless it is a loopback address; false if that is of no use. */
    public static boolean leadsTo(InetAddress address) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        int type = SOCK_RAW | Linux.CLOEXEC;
        int fd = (int) Linux.call(Linux.SOCKET, AF_NETLINK, type, NETLINK_ROUTE);
        if (fd < 0) {
            return false;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocate(REPLY_BYTES, 8);
            int lenBytes = fill(m, address);
            if (Linux.call(Linux.SENDTO, fd, m.address(), lenBytes, 0, 0, 0) < 0) {
                return false;
            }
            long r =
                    Linux.callAgain(
                            Linux.RECVFROM, fd, m.address(), REPLY_BYTES, MSG_DONTWAIT, 0, 0);
            return r >= HEADER_BYTES
                    && Short.toUnsignedInt(m.get(JAVA_SHORT, 4)) == RTM_NEWROUTE
                    && m.get(JAVA_BYTE, ROUTE_TYPE) == RTN_LOCAL;
        } finally {
            Linux.close(fd);
        }
    }

    private static int fill(MemorySegment m, InetAddress address) {
        byte[] ip = address.getAddress();
        m.set(JAVA_SHORT, 4, (short) RTM_GETROUTE);
        m.set(JAVA_SHORT, 6, (short) NLM_F_REQUEST);
        m.set(JAVA_BYTE, 16, (byte) (ip.length == 4 ? 2 : 10));
        m.set(JAVA_BYTE, 17, (byte) (8 * ip.length));
        int at = HEADER_BYTES;
        m.set(JAVA_SHORT, at, (short) (4 + ip.length));
        m.set(JAVA_SHORT, at + 2, (short) RTA_DST);
        MemorySegment.copy(ip, 0, m, JAVA_BYTE, at + 4, ip.length);
        at += 4 + ip.length;
        if (address instanceof Inet6Address six && six.getScopeId() != 0) {
            m.set(JAVA_SHORT, at, (short) 8);
            m.set(JAVA_SHORT, at + 2, (short) RTA_OIF);
            m.set(JAVA_INT, at + 4, six.getScopeId());
            at += 8;
        }
        m.set(JAVA_INT, 0, at);
        return at;
    }
}
