package io.sdp4j.agent.trace;

import io.sdp4j.trace.TraceConnection;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/**
 * Makes RoCEv2 frames: Ethernet, IP, UDP, base transport header, what the operation adds, payload,
 * ICRC.
 *
 * <p>Shape: built from front to back; the lengths inside are those of the frame as it is here,
 * because Wireshark (4.0) takes no packet of which a part is missing. The ICRC and the checksum of
 * UDP are zero: they are those of bytes that are not there.
 *
 * <p>Source: InfiniBand Architecture 1, 9.2 to 9.4, and Annex A17 (RoCEv2).
 */
final class RoceFrame {
    static final int SEND_ONLY = 0x04;
    static final int WRITE_ONLY = 0x0A;
    static final int READ_REQUEST = 0x0C;
    static final int UD_SEND_ONLY = 0x64;

    private static final int ETHERNET_BYTES = 14;
    private static final int IPV4_BYTES = 20;
    private static final int IPV6_BYTES = 40;
    private static final int UDP_BYTES = 8;
    private static final int BTH_BYTES = 12;
    private static final int ICRC_BYTES = 4;
    private static final int ROCE_PORT = 4791;
    private static final byte UDP = 17;
    private static final short DEFAULT_PARTITION = (short) 0xFFFF;

    private RoceFrame() {}

    /**
     * A frame.
     *
     * @param from its sender
     * @param to its receiver
     * @param fromConnecting whether the sender is the peer that connected; says only which invented
     *     hardware address is whose
     * @param opcode of the base transport header
     * @param queuePair number of the queue pair that it goes to
     * @param psn packet sequence number
     * @param extended transport headers behind the base, and a datagram's whole content
     * @param payload a message's first bytes, at most a few KiB
     */
    static byte[] of(
            InetSocketAddress from,
            InetSocketAddress to,
            boolean fromConnecting,
            int opcode,
            int queuePair,
            int psn,
            byte[] extended,
            byte[] payload) {
        boolean ipv4 =
                from.getAddress() instanceof Inet4Address
                        && to.getAddress() instanceof Inet4Address;
        int pad = -payload.length & 3;
        int udpBytes = UDP_BYTES + BTH_BYTES + extended.length + payload.length + pad + ICRC_BYTES;
        int ipBytes = ipv4 ? IPV4_BYTES : IPV6_BYTES;
        ByteBuffer b = ByteBuffer.allocate(ETHERNET_BYTES + ipBytes + udpBytes);
        b.put(hardwareAddress(!fromConnecting)).put(hardwareAddress(fromConnecting));
        b.putShort((short) (ipv4 ? 0x0800 : 0x86DD));
        if (ipv4) {
            ipv4(b, from, to, udpBytes);
        } else {
            ipv6(b, from, to, udpBytes);
        }
        b.putShort((short) (0xC000 | (queuePair & 0x3FFF))).putShort((short) ROCE_PORT);
        b.putShort((short) udpBytes).putShort((short) 0);
        b.put((byte) opcode).put((byte) (pad << 4)).putShort(DEFAULT_PARTITION);
        b.putInt(queuePair & 0xFF_FFFF).putInt(psn & 0xFF_FFFF);
        b.put(extended).put(payload);
        return b.array();
    }

    private static byte[] hardwareAddress(boolean connecting) {
        return new byte[] {2, 0, 0, 0, 0, (byte) (connecting ? 1 : 2)};
    }

    private static void ipv4(
            ByteBuffer b, InetSocketAddress from, InetSocketAddress to, int udpBytes) {
        int start = b.position();
        b.put((byte) 0x45).put((byte) 0).putShort((short) (IPV4_BYTES + udpBytes));
        b.putShort((short) 0).putShort((short) 0x4000); // do not fragment
        b.put((byte) 64).put(UDP).putShort((short) 0);
        b.put(from.getAddress().getAddress()).put(to.getAddress().getAddress());
        int sum = 0;
        for (int i = start; i < b.position(); i += 2) {
            sum += b.getShort(i) & 0xFFFF;
        }
        sum = (sum & 0xFFFF) + (sum >>> 16);
        sum = (sum & 0xFFFF) + (sum >>> 16);
        b.putShort(start + 10, (short) ~sum);
    }

    private static void ipv6(
            ByteBuffer b, InetSocketAddress from, InetSocketAddress to, int udpBytes) {
        b.putInt(0x6000_0000).putShort((short) udpBytes).put(UDP).put((byte) 64);
        b.put(gid(from)).put(gid(to));
    }

    /** A port's GID under RoCEv2: its address in 16 bytes. */
    static byte[] gid(InetSocketAddress address) {
        return TraceConnection.mapped(address);
    }

    /** RDMA extended transport header. */
    static byte[] reth(long va, int rkey, int lenBytes) {
        return ByteBuffer.allocate(16).putLong(va).putInt(rkey).putInt(lenBytes).array();
    }
}
