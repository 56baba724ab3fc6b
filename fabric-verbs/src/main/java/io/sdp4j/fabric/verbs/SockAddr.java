package io.sdp4j.fabric.verbs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/**
 * {@code struct sockaddr_in} and {@code struct sockaddr_in6}: family in host byte order, port and
 * address in network byte order (netinet/in.h).
 */
final class SockAddr {
    static final StructLayout IN =
            CStruct.of("sockaddr_in", "sin_family 2 sin_port 2 sin_addr 4 -8");
    static final StructLayout IN6 =
            CStruct.of(
                    "sockaddr_in6",
                    "sin6_family 2 sin6_port 2 sin6_flowinfo 4 sin6_addr 16x1"
                            + " sin6_scope_id 4");
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final ValueLayout.OfShort PORT_ORDER =
            ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long FAMILY = CStruct.offset(IN, "sin_family");
    private static final long PORT = CStruct.offset(IN, "sin_port");
    private static final long ADDR = CStruct.offset(IN, "sin_addr");
    private static final long ADDR6 = CStruct.offset(IN6, "sin6_addr");
    private static final long SCOPE6 = CStruct.offset(IN6, "sin6_scope_id");

    private SockAddr() {}

    /** Makes the struct for {@code a} and {@code port}. */
    static MemorySegment of(Arena arena, InetAddress a, int port) {
        byte[] raw = a.getAddress();
        boolean v6 = raw.length == 16;
        MemorySegment s = arena.allocate(v6 ? IN6 : IN);
        s.set(JAVA_SHORT, FAMILY, (short) (v6 ? AF_INET6 : AF_INET));
        s.set(PORT_ORDER, PORT, (short) port);
        MemorySegment.copy(raw, 0, s, JAVA_BYTE, v6 ? ADDR6 : ADDR, raw.length);
        if (a instanceof Inet6Address six) {
            s.set(JAVA_INT, SCOPE6, six.getScopeId());
        }
        return s;
    }

    /** Returns the address in a {@code sockaddr_storage}; null if it is not an IP address. */
    static InetSocketAddress get(MemorySegment s) {
        int family = s.get(JAVA_SHORT, FAMILY);
        if (family != AF_INET && family != AF_INET6) {
            return null;
        }
        boolean v6 = family == AF_INET6;
        byte[] raw = new byte[v6 ? 16 : 4];
        MemorySegment.copy(s, JAVA_BYTE, v6 ? ADDR6 : ADDR, raw, 0, raw.length);
        try {
            return new InetSocketAddress(
                    InetAddress.getByAddress(raw), Short.toUnsignedInt(s.get(PORT_ORDER, PORT)));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
