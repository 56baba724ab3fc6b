package io.sdp4j.resolve;

import static io.sdp4j.resolve.NetlinkReader.malformed;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Encodes and decodes the rtnetlink messages of the resolver: dumps of links and addresses, and the
 * question which route a packet to an address would take. Does no I/O. Stateless.
 *
 * <p>Decoders take the body of a message. They return null if the message is well-formed but of no
 * interest, and throw a {@link NetlinkException} if it is malformed. They skip unknown attributes,
 * because kernels add new ones, and attributes of the wrong length for their family.
 *
 * <p>Source: {@code linux/rtnetlink.h}, {@code linux/if_link.h}, {@code linux/if_addr.h}, Linux
 * 6.12.
 */
final class RouteMessages {
    static final int ERROR = 2;
    static final int DONE = 3;
    static final int NEWLINK = 16;
    static final int GETLINK = 18;
    static final int NEWADDR = 20;
    static final int GETADDR = 22;
    static final int NEWROUTE = 24;
    static final int GETROUTE = 26;

    /** Multicast groups as a mask: links, IPv4 addresses, IPv6 addresses. */
    static final int GROUPS = 0x1 | 0x10 | 0x100;

    static final int FLAG_DUMP_INTERRUPTED = 0x10;

    private static final int FLAG_REQUEST = 1;
    private static final int FLAG_DUMP = 0x300;
    private static final int HEADER_BYTES = NetlinkReader.MESSAGE_HEADER_BYTES;
    private static final int IFINFO_BYTES = 16;
    private static final int IFADDR_BYTES = 8;
    private static final int RTMSG_BYTES = 12;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int MAX_HARDWARE_BYTES = 32;
    private static final int MAX_NAME_BYTES = 128;

    private static final int IFLA_ADDRESS = 1;
    private static final int IFLA_BROADCAST = 2;
    private static final int IFLA_IFNAME = 3;
    private static final int IFLA_MTU = 4;
    private static final int IFLA_LINK = 5;
    private static final int IFLA_MASTER = 10;
    private static final int IFLA_LINKINFO = 18;
    private static final int IFLA_EXT_MASK = 29;
    private static final int IFLA_LINK_NETNSID = 37;
    private static final int SKIP_STATISTICS = 8;
    private static final int INFO_KIND = 1;
    private static final int INFO_DATA = 2;
    private static final int VLAN_ID = 1;
    private static final int IFA_ADDRESS = 1;
    private static final int IFA_LOCAL = 2;
    private static final int RTA_DST = 1;
    private static final int RTA_SRC = 2;
    private static final int RTA_OIF = 4;
    private static final int RTA_GATEWAY = 5;
    private static final int RTA_PREFSRC = 7;
    private static final int RTA_VIA = 18;

    private RouteMessages() {}

    /** An address of this host and the index of its interface. */
    record OwnAddress(InetAddress address, int interfaceIndex) {}

    /** Encodes a request for all links. */
    static byte[] links(int sequence) {
        byte[] message = new byte[HEADER_BYTES + IFINFO_BYTES + 8];
        ByteBuffer b = request(message, GETLINK, FLAG_DUMP, sequence);
        b.position(HEADER_BYTES + IFINFO_BYTES);
        attribute(b, IFLA_EXT_MASK, SKIP_STATISTICS);
        return message;
    }

    /** Encodes a request for all addresses. */
    static byte[] addresses(int sequence) {
        byte[] message = new byte[HEADER_BYTES + IFADDR_BYTES];
        var _ = request(message, GETADDR, FLAG_DUMP, sequence);
        return message;
    }

    /**
     * Encodes a request for the route to an address.
     *
     * @param source source address of the packets; null = the kernel chooses
     * @param interfaceIndex index of the interface that packets must leave by; 0 = any
     */
    static byte[] route(
            int sequence, InetAddress destination, InetAddress source, int interfaceIndex) {
        byte[] to = destination.getAddress();
        byte[] from = source == null ? new byte[0] : source.getAddress();
        boolean sourced = from.length == to.length; // other family: the kernel chooses
        int bytes =
                RTMSG_BYTES
                        + (4 + to.length)
                        + (sourced ? 4 + from.length : 0)
                        + (interfaceIndex != 0 ? 8 : 0);
        byte[] message = new byte[HEADER_BYTES + bytes];
        ByteBuffer b = request(message, GETROUTE, 0, sequence);
        b.put((byte) (to.length == 4 ? AF_INET : AF_INET6));
        b.put((byte) (8 * to.length));
        b.put((byte) (sourced ? 8 * from.length : 0));
        b.position(HEADER_BYTES + RTMSG_BYTES);
        attribute(b, RTA_DST, to);
        if (sourced) {
            attribute(b, RTA_SRC, from);
        }
        if (interfaceIndex != 0) {
            attribute(b, RTA_OIF, interfaceIndex);
        }
        return message;
    }

    /** Writes the header of a message. The bytes after the header are still zero. */
    private static ByteBuffer request(byte[] message, int type, int flags, int sequence) {
        return ByteBuffer.wrap(message)
                .order(ByteOrder.nativeOrder())
                .putInt(message.length)
                .putShort((short) type)
                .putShort((short) (FLAG_REQUEST | flags))
                .putInt(sequence)
                .putInt(0);
    }

    private static void attribute(ByteBuffer b, int type, int value) {
        b.putShort((short) 8).putShort((short) type).putInt(value);
    }

    /** Writes an attribute of 4 or 16 bytes, which needs no padding. */
    private static void attribute(ByteBuffer b, int type, byte[] value) {
        b.putShort((short) (4 + value.length)).putShort((short) type).put(value);
    }

    /** Returns the errno of an error message; 0 = success. */
    static int errno(ByteBuffer body) throws NetlinkException {
        require(body, 4, "an error");
        int negative = body.getInt(0);
        if (negative > 0 || negative == Integer.MIN_VALUE) {
            throw malformed("error " + negative);
        }
        return -negative;
    }

    /** Decodes a link; null if it has no name. */
    static InterfaceInfo link(ByteBuffer body) throws NetlinkException {
        require(body, IFINFO_BYTES, "a link");
        int hardware = body.getShort(2) & 0xFFFF;
        int index = body.getInt(4);
        int flags = body.getInt(8);
        String name = "";
        byte[] address = {};
        byte[] broadcast = {};
        int mtu = 0;
        int lower = 0;
        boolean elsewhere = false;
        int master = 0;
        int vlan = 0;
        NetlinkReader a = attributes(body, IFINFO_BYTES);
        while (a.next()) {
            switch (a.type()) {
                case IFLA_IFNAME -> name = text(a.bytes());
                case IFLA_ADDRESS -> address = hardwareAddress(a.bytes());
                case IFLA_BROADCAST -> broadcast = hardwareAddress(a.bytes());
                case IFLA_MTU -> mtu = Math.max(0, a.integer());
                case IFLA_LINK -> lower = a.integer();
                case IFLA_LINK_NETNSID -> elsewhere = true;
                case IFLA_MASTER -> master = a.integer();
                case IFLA_LINKINFO -> vlan = vlanId(a.body());
                default -> {}
            }
        }
        if (name.isEmpty() || index <= 0) {
            return null;
        }
        // the index of a lower link of another network namespace is an index of that namespace
        int below = elsewhere || lower == index ? 0 : lower;
        return new InterfaceInfo(
                index, name, hardware, flags, address, mtu, below, master, vlan, broadcast);
    }

    private static int vlanId(ByteBuffer info) throws NetlinkException {
        NetlinkReader a = NetlinkReader.attributes(info);
        boolean vlan = false;
        while (a.next()) {
            if (a.type() == INFO_KIND) {
                vlan = text(a.bytes()).equals("vlan");
            } else if (a.type() == INFO_DATA && vlan) {
                NetlinkReader data = NetlinkReader.attributes(a.body());
                while (data.next()) {
                    if (data.type() == VLAN_ID && data.body().remaining() >= 2) {
                        return data.body().getShort(0) & 0xFFF;
                    }
                }
            }
        }
        return 0;
    }

    /** Decodes an address; null if it is not of a known family. */
    static OwnAddress address(ByteBuffer body) throws NetlinkException {
        require(body, IFADDR_BYTES, "an address");
        int family = body.get(0);
        int index = body.getInt(4);
        InetAddress peer = null;
        InetAddress own = null;
        NetlinkReader a = attributes(body, IFADDR_BYTES);
        while (a.next()) {
            if (a.type() == IFA_LOCAL) {
                own = inet(family, a.bytes());
            } else if (a.type() == IFA_ADDRESS) {
                peer = inet(family, a.bytes());
            }
        }
        // on a point-to-point link "address" is the peer's; elsewhere both are equal or one is
        // missing
        InetAddress found = own != null ? own : peer;
        return found == null || index <= 0 ? null : new OwnAddress(found, index);
    }

    /** Decodes the answer to the request for a route. */
    static Route route(ByteBuffer body) throws NetlinkException {
        require(body, RTMSG_BYTES, "a route");
        int family = body.get(0);
        int type = body.get(7) & 0xFF;
        int out = 0;
        InetAddress gateway = null;
        InetAddress source = null;
        NetlinkReader a = attributes(body, RTMSG_BYTES);
        while (a.next()) {
            switch (a.type()) {
                case RTA_OIF -> out = a.integer();
                case RTA_GATEWAY -> gateway = inet(family, a.bytes());
                case RTA_VIA -> gateway = via(a.bytes());
                case RTA_PREFSRC -> source = inet(family, a.bytes());
                default -> {}
            }
        }
        return new Route(type, Math.max(0, out), source, gateway);
    }

    /**
     * Decodes {@code struct rtvia}: 2 bytes of family, then an address of another family than the
     * route.
     */
    private static InetAddress via(byte[] value) {
        if (value.length < 2) {
            return null;
        }
        ByteBuffer family = ByteBuffer.wrap(value).order(ByteOrder.nativeOrder());
        return inet(family.getShort(0), Arrays.copyOfRange(value, 2, value.length));
    }

    private static NetlinkReader attributes(ByteBuffer body, int from) {
        return NetlinkReader.attributes(body.slice(from, body.limit() - from));
    }

    private static void require(ByteBuffer body, int bytes, String what) throws NetlinkException {
        if (body.remaining() < bytes) {
            throw malformed(what + " of " + body.remaining() + " bytes");
        }
    }

    private static byte[] hardwareAddress(byte[] value) throws NetlinkException {
        if (value.length > MAX_HARDWARE_BYTES) {
            throw malformed("a hardware address of " + value.length + " bytes");
        }
        return value;
    }

    /**
     * Decodes a name, which ends with a zero byte. Names are shown to people, so control characters
     * and white space are replaced.
     */
    private static String text(byte[] value) {
        int n = 0;
        while (n < value.length && n < MAX_NAME_BYTES && value[n] != 0) {
            n++;
        }
        return new String(value, 0, n, StandardCharsets.UTF_8).replaceAll("[\\p{Cntrl}\\s]", "?");
    }

    /** Decodes an address; null unless the length is that of the family. */
    private static InetAddress inet(int family, byte[] value) {
        if (value.length != (family == AF_INET ? 4 : family == AF_INET6 ? 16 : -1)) {
            return null;
        }
        try {
            return InetAddress.getByAddress(value);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
