package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Netlink sockets as raw descriptors, all non-blocking and close-on-exec; of what they carry
 * nothing is known here. Results are counts, descriptors or {@code -errno}.
 *
 * <p>Source: {@code linux/netlink.h}; {@code struct sockaddr_nl} is family 2, padding 2, port id 4,
 * groups 4.
 */
public final class NetlinkFd {
    private static final int EMSGSIZE = 90;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int ADDRESS_BYTES = 12;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;

    private NetlinkFd() {}

    /**
     * A socket.
     *
     * @param groups bit mask of multicast groups it listens to
     */
    public static int open(int protocol, int groups) {
        int fd =
                (int)
                        Linux.call(
                                Linux.SOCKET,
                                AF_NETLINK,
                                SOCK_RAW | Linux.CLOEXEC | Linux.NONBLOCK,
                                protocol);
        if (fd < 0) {
            return fd;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(ADDRESS_BYTES, 4);
            address.set(JAVA_SHORT, 0, (short) AF_NETLINK);
            address.set(JAVA_INT, 8, groups);
            int r = (int) Linux.call(Linux.BIND, fd, address.address(), ADDRESS_BYTES);
            if (r < 0) {
                Linux.close(fd);
                return r;
            }
        }
        return fd;
    }

    /** Sends one datagram to the kernel, which is where a socket without a peer sends to. */
    public static int send(int fd, byte[] datagram) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment m = arena.allocateFrom(JAVA_BYTE, datagram);
            return (int)
                    Linux.callAgain(
                            Linux.SENDTO, fd, m.address(), m.byteSize(), MSG_DONTWAIT, 0, 0);
        }
    }

    /**
     * Takes the next datagram that the kernel sent; others may send to this socket too, and theirs
     * are thrown away.
     *
     * @param into for the datagram, then 16 bytes for the sender's address
     * @return its length; -EAGAIN if there is none, -EMSGSIZE for one that was too long and is gone
     */
    public static int receive(int fd, MemorySegment into) {
        long room = into.byteSize() - 16;
        MemorySegment sender = into.asSlice(room, 16);
        while (true) {
            sender.set(JAVA_INT, 12, ADDRESS_BYTES);
            sender.set(JAVA_INT, 4, -1);
            long n =
                    Linux.callAgain(
                            Linux.RECVFROM,
                            fd,
                            into.address(),
                            room,
                            MSG_DONTWAIT | MSG_TRUNC,
                            sender.address(),
                            sender.address() + 12);
            if (n < 0) {
                return (int) n;
            }
            if (sender.get(JAVA_INT, 12) == ADDRESS_BYTES && sender.get(JAVA_INT, 4) == 0) {
                return n > room ? -EMSGSIZE : (int) n;
            }
        }
    }
}
