package io.sdp4j.linux;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Locale;

/**
 * Finds the user that owns the kernel's TCP listener that would take a connection to an address.
 *
 * <p>Asks {@code NETLINK_SOCK_DIAG} for the very listener that a SYN would find, including wildcard
 * and dual-stack listeners, in a few microseconds. If that is not available, reads the LISTEN rows
 * of {@code /proc/self/net/tcp} and {@code tcp6}, which takes longer the more sockets there are.
 * Thread-safe.
 *
 * <p>Source: linux/inet_diag.h, linux/sock_diag.h; proc_net_tcp(5).
 */
public final class PortOwner {
    /** There is no listener, or its user is not known. */
    public static final long NO_USER = -1;

    private static final long UNKNOWN = -2;
    private static final Listener NONE = new Listener(NO_USER, 0);
    private static final Listener NOT_TOLD = new Listener(UNKNOWN, 0);
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int SOCK_DIAG_BY_FAMILY = 20;
    private static final int NLM_F_REQUEST = 1;
    private static final int NLM_F_DUMP = 0x300;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int TCP_ESTABLISHED = 1;
    private static final int TCP_LISTEN = 10;
    private static final int REQUEST_BYTES = 16 + 56;
    private static final int REPLY_BYTES = 512;

    /** The kernel is known to have inet_diag, so ENOENT means that there is no such socket. */
    private static volatile boolean answers;

    private PortOwner() {}

    /**
     * A listener.
     *
     * @param uid its user, or {@link #NO_USER} if there is no listener
     * @param inode inode of its socket; 0 if unknown
     */
    public record Listener(long uid, long inode) {}

    /** The listener that a SYN to {@code address} would find. */
    public static Listener listener(InetSocketAddress address) {
        Listener asked = ask(address);
        return asked.uid == UNKNOWN ? read(address) : asked;
    }

    /** Whether {@code NETLINK_SOCK_DIAG} works here. */
    public static boolean quick() {
        return ask(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)).uid != UNKNOWN;
    }

    /**
     * Returns the inode of the TCP socket of this network namespace that is connected from {@code
     * local} to {@code remote}; 0 if no process holds such a socket or the inode is unknown.
     */
    public static long connected(InetSocketAddress local, InetSocketAddress remote) {
        return Math.max(ask(local, remote, TCP_ESTABLISHED).inode, 0);
    }

    private static Listener ask(InetSocketAddress address) {
        return ask(address, null, TCP_LISTEN);
    }

    /**
     * Returns the socket that a packet from {@code remote} to {@code local} would find, if it is in
     * that state.
     */
    private static Listener ask(InetSocketAddress local, InetSocketAddress remote, int state) {
        try (SyscallBuffer m = SyscallBuffer.allocate(REPLY_BYTES)) {
            fillRequest(m, local, remote);
            long r = NetlinkSocket.ask(NETLINK_SOCK_DIAG, m);
            if (r < 20) {
                return NOT_TOLD;
            }
            int type = m.getShort(4);
            if (type == NLMSG_ERROR) {
                boolean none = m.getInt(16) == -Linux.ENOENT && answers(m, local);
                return none ? NONE : NOT_TOLD;
            }
            if (type != SOCK_DIAG_BY_FAMILY || r < 16 + 72) {
                return NOT_TOLD;
            }
            return m.getByte(17) == state
                    ? new Listener(
                            Integer.toUnsignedLong(m.getInt(16 + 64)),
                            Integer.toUnsignedLong(m.getInt(16 + 68)))
                    : NONE;
        }
    }

    /**
     * Whether the kernel has inet_diag. A kernel without it answers ENOENT for every socket, but
     * also when it is asked for an empty list.
     */
    private static boolean answers(SyscallBuffer m, InetSocketAddress local) {
        if (!answers) {
            fillRequest(m, local, null);
            m.putShort(6, NLM_F_REQUEST | NLM_F_DUMP);
            m.putInt(20, 0);
            answers =
                    NetlinkSocket.ask(NETLINK_SOCK_DIAG, m) >= 20
                            && m.getShort(4) == NLMSG_DONE
                            && m.getInt(16) == 0;
        }
        return answers;
    }

    /** {@code struct nlmsghdr} and {@code struct inet_diag_req_v2}. */
    private static void fillRequest(
            SyscallBuffer m, InetSocketAddress local, InetSocketAddress remote) {
        m.putInt(0, REQUEST_BYTES);
        m.putShort(4, SOCK_DIAG_BY_FAMILY);
        m.putShort(6, NLM_F_REQUEST);
        m.putByte(16, local.getAddress() instanceof Inet4Address ? 2 : 10);
        m.putByte(17, 6);
        m.putInt(20, -1);
        putEnd(m, 24, 28, local);
        // a socket with such an address is bound to the device
        if (local.getAddress() instanceof Inet6Address six && six.isLinkLocalAddress()) {
            m.putInt(60, six.getScopeId());
        }
        if (remote != null) {
            putEnd(m, 26, 44, remote);
        }
        m.putInt(64, -1);
        m.putInt(68, -1);
    }

    private static void putEnd(SyscallBuffer m, int portAt, int ipAt, InetSocketAddress end) {
        m.putBigEndian(portAt, end.getPort());
        byte[] ip = end.getAddress().getAddress();
        m.copyIn(ip, 0, ipAt, ip.length);
    }

    /** Reads the listener from the tables in {@code /proc}. */
    static Listener read(InetSocketAddress address) {
        byte[] ip = address.getAddress().getAddress();
        boolean v4 = ip.length == 4;
        String port = String.format(Locale.ROOT, "%04X", address.getPort());
        Listener best = NONE;
        for (String file : v4 ? new String[] {"tcp", "tcp6"} : new String[] {"tcp6"}) {
            byte[] exact = v4 && file.equals("tcp6") ? mapped(ip) : ip;
            String exactRow = row(exact) + ":" + port;
            String anyRow = row(new byte[exact.length]) + ":" + port;
            try (BufferedReader in =
                    Files.newBufferedReader(
                            Path.of("/proc/self/net", file), // not hidden by subset=pid
                            StandardCharsets.US_ASCII)) {
                for (String line = in.readLine(); line != null; line = in.readLine()) {
                    String[] f = line.trim().split("\\s+", 11);
                    if (f.length < 10 || !f[3].equals("0A")) {
                        continue;
                    }
                    if (f[1].equals(exactRow)) {
                        return listed(f);
                    }
                    if (f[1].equals(anyRow) && best.equals(NONE)) {
                        best = listed(f);
                    }
                }
            } catch (IOException | NumberFormatException e) {
                // an unreadable table names no owner
            }
        }
        return best;
    }

    private static Listener listed(String[] fields) {
        return new Listener(Long.parseLong(fields[7]), Long.parseLong(fields[9]));
    }

    private static byte[] mapped(byte[] v4) {
        byte[] b = new byte[16];
        b[10] = -1;
        b[11] = -1;
        System.arraycopy(v4, 0, b, 12, 4);
        return b;
    }

    /** The address as the table prints it: 32-bit words in host order (little-endian). */
    private static String row(byte[] address) {
        byte[] b = new byte[address.length];
        for (int i = 0; i < b.length; i++) {
            b[i] = address[(i & ~3) + 3 - (i & 3)];
        }
        return HexFormat.of().withUpperCase().formatHex(b);
    }
}
