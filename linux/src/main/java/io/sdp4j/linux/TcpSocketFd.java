package io.sdp4j.linux;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Checks with the kernel whether a descriptor is the TCP socket of an address, as is claimed. The
 * descriptor may be anything. Thread-safe.
 *
 * <p>Source: socket(7), tcp(7), {@code linux/in6.h}; {@code SO_NETNS_COOKIE} since Linux 5.14.
 */
public final class TcpSocketFd {
    private static final int AF_UNIX = 1;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_STREAM = 1;
    private static final int IPPROTO_TCP = 6;
    private static final int IPPROTO_IPV6 = 41;
    private static final int IPV6_V6ONLY = 26;
    private static final int SOL_SOCKET = 1;
    private static final int SO_TYPE = 3;
    private static final int SO_LINGER = 13;
    private static final int SO_BINDTODEVICE = 25;
    private static final int SO_PROTOCOL = 38;
    private static final int SO_NETNS_COOKIE = 71;
    private static final int TCP_INFO = 11;
    private static final int TCP_ESTABLISHED = 1;
    private static final int TCP_CLOSE = 7;
    private static final int F_DUPFD_CLOEXEC = 1030;
    private static final int ADDRESS_BYTES = 28;
    private static final int DEVICE_BYTES = 16;

    /**
     * How many descriptor numbers next to a likely one are tried: a connect opens a few
     * descriptors.
     */
    private static final int NEAR = 64;

    /** Number of the socket that {@link #duplicate(InetSocketAddress)} found last; only a hint. */
    private static volatile int lastFound;

    /** Not the cookie of any network namespace. */
    private static final long UNKNOWN = -1;

    private static volatile long ownNamespace = UNKNOWN;

    private TcpSocketFd() {}

    /**
     * Returns the cookie of this process's network namespace, or {@link #UNKNOWN}, which is not
     * kept.
     */
    private static long ownNamespace() {
        long known = ownNamespace;
        if (known != UNKNOWN) {
            return known;
        }
        int fd = (int) Linux.call(Linux.SOCKET, AF_UNIX, SOCK_STREAM | Linux.CLOEXEC, 0);
        if (fd < 0) {
            return UNKNOWN;
        }
        known = namespace(fd);
        Linux.close(fd);
        ownNamespace = known;
        return known;
    }

    /**
     * Returns why {@code fd} is not a TCP socket bound to {@code claimed} in the network namespace
     * of this process; null if it is.
     */
    public static String fault(int fd, InetSocketAddress claimed) {
        if (fd < 0) {
            return "no socket came with it";
        }
        if (option(fd, SO_TYPE) != SOCK_STREAM || option(fd, SO_PROTOCOL) != IPPROTO_TCP) {
            return "what came with it is no TCP socket";
        }
        long own = ownNamespace();
        if (own == UNKNOWN) {
            return "no descriptor is left to look at this network namespace with";
        }
        if (namespace(fd) != own) {
            return "its socket is of another network namespace";
        }
        return holds(fd, claimed) ? null : "its socket is not bound to " + claimed;
    }

    private static boolean holds(int fd, InetSocketAddress claimed) {
        InetSocketAddress bound = address(fd, Linux.GETSOCKNAME);
        if (bound == null || bound.getPort() == 0 || bound.getPort() != claimed.getPort()) {
            return false;
        }
        if (!bound.getAddress().isAnyLocalAddress()) {
            return bound.getAddress().equals(claimed.getAddress());
        }
        boolean four = claimed.getAddress() instanceof Inet4Address;
        boolean boundToFour = bound.getAddress() instanceof Inet4Address;
        return four == boundToFour || (four && bothFamilies(fd));
    }

    /**
     * Returns the address that {@code call} gives for an IP socket; null if the call fails, or for
     * any other socket. An IPv4-mapped IPv6 address becomes IPv4. The scope of an IPv6 address is
     * left out, so it does not count in comparisons.
     */
    private static InetSocketAddress address(int fd, int call) {
        try (SyscallBuffer s = SyscallBuffer.allocate(ADDRESS_BYTES + 4)) {
            s.putInt(ADDRESS_BYTES, ADDRESS_BYTES);
            long at = s.address();
            if (Linux.call(call, fd, at, at + ADDRESS_BYTES) < 0) {
                return null;
            }
            int port = s.getBigEndian(2);
            int family = s.getShort(0);
            if (family != AF_INET && family != AF_INET6) {
                return null;
            }
            byte[] ip = new byte[family == AF_INET ? 4 : 16];
            s.copyOut(family == AF_INET ? 4 : 8, ip, 0, ip.length);
            return new InetSocketAddress(InetAddress.getByAddress(ip), port);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * Returns why {@code fd} is not an established TCP connection from {@code local} to {@code
     * remote} in the network namespace of this process; null if it is.
     */
    public static String connectionFault(
            int fd, InetSocketAddress local, InetSocketAddress remote) {
        String fault = fault(fd, local);
        if (fault != null) {
            return fault;
        }
        return local.equals(address(fd, Linux.GETSOCKNAME))
                        && remote.equals(address(fd, Linux.GETPEERNAME))
                        && state(fd) == TCP_ESTABLISHED
                ? null
                : "its socket is not connected from " + local + " to " + remote;
    }

    /** Whether {@link #fault} finds no fault in {@code fd}, but {@code fd} is not connected. */
    public static boolean unconnected(int fd, InetSocketAddress claimed) {
        return fault(fd, claimed) == null && state(fd) != TCP_ESTABLISHED;
    }

    private static int state(int fd) {
        try (SyscallBuffer s = SyscallBuffer.allocate(16)) {
            return option(fd, IPPROTO_TCP, TCP_INFO, s, 8) > 0 ? s.getByte(0) : -1;
        }
    }

    /**
     * Returns a duplicate of the established connection {@code fd}, which the caller closes; -1 if
     * {@code fd} is anything else. Checks {@code fd} before it duplicates, because closing the
     * duplicate of a file would drop the locks that this process holds on the file.
     */
    public static int duplicate(int fd, InetSocketAddress local, InetSocketAddress remote) {
        if (connectionFault(fd, local, remote) != null) {
            return -1;
        }
        int copy = (int) Linux.call(Linux.FCNTL, fd, F_DUPFD_CLOEXEC, 0);
        if (copy >= 0 && connectionFault(copy, local, remote) != null) {
            Linux.close(copy);
            return -1;
        }
        return Math.max(copy, -1);
    }

    /**
     * Whether two sockets are bound to the same network device, or both to none. Within one network
     * namespace and one device (or none), only one connection has a given pair of addresses. Asks
     * for the names, as kernels before 5.0 do not tell the numbers.
     */
    public static boolean sameDevice(int fd, int other) {
        try (SyscallBuffer one = SyscallBuffer.allocate(DEVICE_BYTES + 4);
                SyscallBuffer two = SyscallBuffer.allocate(DEVICE_BYTES + 4)) {
            int length = option(fd, SOL_SOCKET, SO_BINDTODEVICE, one, DEVICE_BYTES);
            return length >= 0
                    && length == option(other, SOL_SOCKET, SO_BINDTODEVICE, two, DEVICE_BYTES)
                    && one.getLong(0) == two.getLong(0)
                    && one.getLong(8) == two.getLong(8);
        }
    }

    private static boolean bothFamilies(int fd) {
        try (SyscallBuffer s = SyscallBuffer.allocate(8)) {
            return option(fd, IPPROTO_IPV6, IPV6_V6ONLY, s, 4) == 4 && s.getInt(0) == 0;
        }
    }

    private static int option(int fd, int name) {
        try (SyscallBuffer s = SyscallBuffer.allocate(16)) {
            return option(fd, SOL_SOCKET, name, s, 4) == 4 ? s.getInt(0) : -1;
        }
    }

    /** Returns the cookie of the network namespace of a socket; 0 if the kernel does not tell. */
    private static long namespace(int fd) {
        try (SyscallBuffer s = SyscallBuffer.allocate(16)) {
            return option(fd, SOL_SOCKET, SO_NETNS_COOKIE, s, 8) == 8 ? s.getLong(0) : 0;
        }
    }

    /**
     * Reads an option of a socket.
     *
     * @param into must have 4 bytes more than the option
     * @return its length, or -1
     */
    static int option(int fd, int level, int name, SyscallBuffer into, int lenBytes) {
        into.putInt(lenBytes, lenBytes);
        long at = into.address();
        long r = Linux.call(Linux.GETSOCKOPT, fd, level, name, at, at + lenBytes, 0);
        return r < 0 ? -1 : into.getInt(lenBytes);
    }

    /**
     * Returns a duplicate of a socket of this process that is bound to {@code address} and does
     * nothing else: a listener, or one that connects, is more than a claim to the address. The
     * caller closes it. -1 if there is none. Tries the number that was found last, then those below
     * the first free number, those next to the last found, and finally all.
     */
    public static int duplicate(InetSocketAddress address) {
        int last = lastFound;
        int copy = copyIfHolds(last, address);
        if (copy >= 0) {
            return copy;
        }
        int free = (int) Linux.call(Linux.FCNTL, 0, F_DUPFD_CLOEXEC, 0);
        if (free >= 0) {
            Linux.close(free);
        }
        copy = among(free - NEAR, free - 1, address);
        if (copy < 0) {
            copy = among(last - NEAR, last + NEAR, address);
        }
        return copy >= 0 ? copy : amongAll(address);
    }

    /**
     * Returns a duplicate of the socket with the highest of these numbers that holds the address,
     * or -1.
     */
    private static int among(int from, int to, InetSocketAddress address) {
        for (int fd = to; fd >= Math.max(from, 0); fd--) {
            int copy = copyIfHolds(fd, address);
            if (copy >= 0) {
                lastFound = fd;
                return copy;
            }
        }
        return -1;
    }

    private static int amongAll(InetSocketAddress address) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path p : all) {
                int fd = Integer.parseInt(p.getFileName().toString());
                int copy = copyIfHolds(fd, address);
                if (copy >= 0) {
                    lastFound = fd;
                    return copy;
                }
            }
        } catch (java.io.IOException | NumberFormatException e) {
            // without /proc nothing can be found
        }
        return -1;
    }

    /**
     * Duplicates {@code fd} if it holds the address. Checks the duplicate again, because the number
     * may have been reused before it was duplicated.
     */
    private static int copyIfHolds(int fd, InetSocketAddress address) {
        if (!holds(fd, address)) {
            return -1;
        }
        int copy = (int) Linux.call(Linux.FCNTL, fd, F_DUPFD_CLOEXEC, 0);
        if (copy >= 0 && (fault(copy, address) != null || state(copy) != TCP_CLOSE)) {
            Linux.close(copy);
            return -1;
        }
        return copy;
    }

    /**
     * Closes a duplicate of a TCP socket of this process, whose application may have closed its own
     * descriptor. If the socket lingers, the close may block, so a new thread does it: behind the
     * descriptors of strangers the connection would end too late.
     */
    public static void closeShared(int fd) {
        try {
            if (lingers(fd)) {
                DaemonThread.of("sdp4j-close", () -> Linux.close(fd)).start();
                return;
            }
        } catch (OutOfMemoryError e) {
            StrangeFd.closeLater(fd);
            return;
        }
        Linux.close(fd);
    }

    /**
     * Closes a descriptor that a stranger has sent or may share, without changing the object behind
     * it. Another thread does this because it may block, unless {@code fd} is a TCP socket that
     * does not linger.
     */
    public static void closeStrange(int fd) {
        boolean quick = false;
        try {
            quick = option(fd, SO_PROTOCOL) == IPPROTO_TCP && !lingers(fd);
        } catch (OutOfMemoryError e) {
            // then it may be slow
        }
        if (quick) {
            Linux.close(fd);
        } else {
            StrangeFd.closeLater(fd);
        }
    }

    private static boolean lingers(int fd) {
        try (SyscallBuffer s = SyscallBuffer.allocate(16)) {
            return option(fd, SOL_SOCKET, SO_LINGER, s, 8) != 8
                    || (s.getInt(0) != 0 && s.getInt(4) != 0);
        }
    }
}
