package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A netlink socket: sends datagrams to the kernel and receives its datagrams, without interpreting
 * them. Datagrams from other processes are dropped.
 *
 * <p>Not thread-safe. {@link #close} is idempotent and frees the memory.
 *
 * <p>Source: {@code linux/netlink.h}; {@code struct sockaddr_nl} is family 2, padding 2, port id 4,
 * groups 4.
 */
public final class NetlinkSocket implements Closeable {
    /** Longest piece of a dump. */
    private static final int ROOM_BYTES = 32 << 10;

    /** Longest announcement. */
    private static final int ANNOUNCEMENT_BYTES = 16 << 10;

    private static final int SENDER_BYTES = 16;
    private static final int ADDRESS_BYTES = 12;

    private static final int EMSGSIZE = 90;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW = 3;
    private static final int MSG_TRUNC = 0x20;
    private static final int MSG_DONTWAIT = 0x40;

    /** Announcements taken in a row before other tasks of the event thread have a turn. */
    private static final int TURN = 64;

    /** Time between a failed receive and the next one, because the error may last. */
    private static final long RETRY_NANOS = 100_000_000L;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(ROOM_BYTES + SENDER_BYTES, 8);
    final int fd;
    private boolean closed;

    private NetlinkSocket(int protocol) throws IOException {
        int opened = -1;
        try {
            opened = descriptor(protocol, 0);
            if (opened < 0) {
                throw failed("open", opened);
            }
        } finally {
            if (opened < 0) {
                arena.close();
            }
        }
        fd = opened;
    }

    /**
     * Opens a socket.
     *
     * @param protocol netlink protocol, {@code NETLINK_...}
     */
    public static NetlinkSocket open(int protocol) throws IOException {
        requireNative();
        try {
            return new NetlinkSocket(protocol);
        } catch (OutOfMemoryError e) {
            throw new IOException("netlink: no memory for a socket", e);
        }
    }

    /** Sends one datagram. The kernel has answered when this returns. */
    public void send(byte[] datagram) throws IOException {
        requireOpen();
        try (SyscallBuffer m = SyscallBuffer.allocate(datagram.length)) {
            m.copyIn(datagram, 0, 0, datagram.length);
            long r = send(fd, m, datagram.length);
            if (r < 0) {
                throw failed("send", r);
            }
        }
    }

    /** Returns the next datagram, or null if there is none. Never waits. */
    public byte[] receive() throws IOException {
        requireOpen();
        int n = receive(fd, buffer);
        if (n == -Linux.EAGAIN) {
            return null;
        }
        if (n < 0) {
            throw failed("receive", n);
        }
        return buffer.asSlice(0, n).toArray(JAVA_BYTE);
    }

    private void requireOpen() throws IOException {
        if (closed) {
            throw new IOException("netlink: closed");
        }
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Linux.close(fd);
            arena.close();
        }
    }

    /**
     * Listens to announcements on the event thread until the result is closed; a call of {@code
     * onDatagram} may then still be under way.
     *
     * @param loop from {@link EventLoop#start}
     * @param groups bit mask of multicast groups
     * @param onDatagram must be quick; an empty array says that announcements were lost
     */
    public static Closeable watch(
            EventLoop loop, int protocol, int groups, Consumer<byte[]> onDatagram)
            throws IOException {
        requireNative();
        if (!(loop instanceof EpollLoop epoll)) {
            throw new IOException("netlink: the event loop makes no native calls");
        }
        Watch watch = new Watch(epoll, onDatagram); // first: there may be no memory for it
        long number = -1;
        try {
            watch.fd = descriptor(protocol, groups);
            if (watch.fd < 0) {
                throw failed("open", watch.fd);
            }
            number = epoll.watch(watch.fd, watch::onReady);
            if (number < 0) {
                throw failed("watch", number);
            }
        } finally {
            if (number < 0) {
                watch.release();
            }
        }
        long watched = number;
        return () -> epoll.execute(() -> watch.end(watched));
    }

    /** Announcements to one listener. Everything but the constructor runs on the event thread. */
    static final class Watch {
        final Arena arena = Arena.ofShared();
        final MemorySegment buffer = arena.allocate(ANNOUNCEMENT_BYTES + SENDER_BYTES, 8);
        final EpollLoop loop;
        int fd = -1;
        final Consumer<byte[]> onDatagram;
        boolean ended;
        boolean again; // a timer will go on

        Watch(EpollLoop loop, Consumer<byte[]> onDatagram) {
            this.loop = loop;
            this.onDatagram = onDatagram;
        }

        /** Takes every datagram there is: the next event comes only after the socket was empty. */
        void onReady(int events) {
            int n = 0;
            for (int i = 0; i < TURN && n >= 0; i++) {
                if (ended) {
                    return;
                }
                n = receive(fd, buffer);
                if (n == -Linux.EAGAIN) {
                    return;
                }
                onDatagram.accept(n < 0 ? new byte[0] : buffer.asSlice(0, n).toArray(JAVA_BYTE));
            }
            if (!again) {
                // tasks go before timers
                loop.schedule((EventLoop.Repeatable) this::goOn, n < 0 ? RETRY_NANOS : 0);
                again = true;
            }
        }

        private void goOn() {
            again = false;
            onReady(0);
        }

        void end(long number) {
            if (!ended) {
                ended = true;
                loop.unwatch(fd, number);
                release();
            }
        }

        private void release() {
            if (fd >= 0) {
                Linux.close(fd);
            }
            arena.close();
        }
    }

    /**
     * Asks the kernel one question on a socket of its own. Never waits.
     *
     * @param m the request, whose header says its length; afterwards the answer
     * @return the answer's length, or less than 0
     */
    static long ask(int protocol, SyscallBuffer m) {
        int fd = socket(protocol);
        if (fd < 0) {
            return fd;
        }
        try {
            long r = send(fd, m, m.getInt(0));
            return r < 0
                    ? r
                    : Linux.callAgain(Linux.RECVFROM, fd, m.address(), m.bytes, MSG_DONTWAIT, 0, 0);
        } finally {
            Linux.close(fd);
        }
    }

    private static int socket(int protocol) {
        return (int) Linux.call(Linux.SOCKET, AF_NETLINK, SOCK_RAW | Linux.CLOEXEC, protocol);
    }

    /** Opens a socket that listens to {@code groups}. */
    private static int descriptor(int protocol, int groups) {
        try (SyscallBuffer address = SyscallBuffer.allocate(ADDRESS_BYTES)) {
            int fd = socket(protocol);
            if (fd < 0) {
                return fd;
            }
            address.putShort(0, AF_NETLINK);
            address.putInt(8, groups);
            int r = (int) Linux.call(Linux.BIND, fd, address.address(), ADDRESS_BYTES);
            if (r < 0) {
                Linux.close(fd);
                return r;
            }
            return fd;
        }
    }

    /** Sends to the kernel, the default destination of an unconnected netlink socket. */
    private static long send(int fd, SyscallBuffer m, int lenBytes) {
        return Linux.callAgain(Linux.SENDTO, fd, m.address(), lenBytes, MSG_DONTWAIT, 0, 0);
    }

    /**
     * Takes the next datagram from the kernel. Drops those of other processes, which may also send
     * to this socket.
     *
     * @param into room for the datagram, then 16 bytes for the sender's address
     * @return its length; -EAGAIN if there is none, -EMSGSIZE for one that was too long and is gone
     */
    static int receive(int fd, MemorySegment into) {
        long room = into.byteSize() - SENDER_BYTES;
        MemorySegment sender = into.asSlice(room, SENDER_BYTES);
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

    private static void requireNative() throws IOException {
        if (!NativeAccess.granted()) {
            throw new IOException("netlink: " + NativeAccess.explanation());
        }
    }

    private static IOException failed(String what, long result) {
        return new IOException("netlink " + what + ": " + Linux.text(result));
    }
}
