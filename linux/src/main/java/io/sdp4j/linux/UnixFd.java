package io.sdp4j.linux;

import java.nio.charset.StandardCharsets;

/**
 * Unix-domain stream sockets as raw descriptors, all non-blocking and close-on-exec.
 *
 * <p>The JDK's channels do not suffice: they cannot pass descriptors, and do not give both uid and
 * pid of the peer as the kernel knows them ({@code SO_PEERCRED}). Results are counts, descriptors
 * or {@code -errno}. Stateless.
 */
public final class UnixFd {
    /** Longest path of a socket, without the final zero. */
    public static final int MAX_PATH_BYTES = 107;

    private static final int ENAMETOOLONG = 36;
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_OOBINLINE = 10;
    private static final int SO_PEERPIDFD = 77;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_PEEK = 2;
    private static final int MSG_CTRUNC = 8;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int RECEIVE = MSG_DONTWAIT | MSG_CMSG_CLOEXEC;
    private static final int POLLIN = 1;
    private static final int SHUT_RDWR = 2;

    /** Control data of a message with two descriptors. */
    private static final int CONTROL_BYTES = 24;

    private static final int CONTROL_HEADER_BYTES = 16;

    // offsets in the memory of a message: header, vector, control data, then data
    private static final int HEADER_VECTOR = 16;
    static final int HEADER_CONTROL = 32;
    private static final int HEADER_FLAGS = 48;
    static final int VECTOR = 56;
    static final int CONTROL = 72;

    static final int[] NONE = {};

    /** Result of {@link #look}. */
    private static final int DESCRIPTORS = Integer.MIN_VALUE;

    /** One byte to send. */
    private static final long WAKE_BYTE = SyscallBuffer.lasting(1).address();

    private UnixFd() {}

    /**
     * The process at the other end as the kernel saw it when the connection, or the listener, was
     * made.
     */
    public record Peer(int pid, int uid) {}

    public static int open() {
        int type = SOCK_STREAM | Linux.CLOEXEC | Linux.NONBLOCK;
        try (SyscallBuffer on = SyscallBuffer.allocate(4)) { // first: what follows needs no memory
            return inLine((int) Linux.call(Linux.SOCKET, AF_UNIX, type, 0), on);
        }
    }

    /**
     * An urgent byte stays in line, with the descriptors that came with it: elsewhere the kernel
     * closes them within a receive that passes it, however long that takes.
     *
     * @param fd or an error
     * @param on four bytes
     * @return {@code fd}
     */
    private static int inLine(int fd, SyscallBuffer on) {
        if (fd >= 0) {
            on.putInt(0, 1);
            // an older kernel has no urgent bytes here
            long at = on.address();
            Linux.callQuietly(Linux.SETSOCKOPT, fd, SOL_SOCKET, SO_OOBINLINE, at, 4, 0);
        }
        return fd;
    }

    /** Connects to the listener at {@code path}; -EAGAIN if its backlog is full. */
    public static int connect(int fd, String path) {
        return addressed(Linux.CONNECT, fd, path);
    }

    /** Opens a listener at {@code path}, which must not exist; returns the descriptor or -errno. */
    public static int listen(String path, int backlog) {
        int fd = open();
        if (fd < 0) {
            return fd;
        }
        int r = addressed(Linux.BIND, fd, path);
        if (r >= 0) {
            r = (int) Linux.call(Linux.LISTEN, fd, backlog, 0);
        }
        if (r < 0) {
            Linux.close(fd);
            return r;
        }
        return fd;
    }

    /**
     * Whether no process listens at the socket file {@code path} any more. The test connects a
     * datagram socket and looks at the error, so a living stream listener notices nothing.
     */
    public static boolean isDead(String path) {
        int fd = (int) Linux.call(Linux.SOCKET, AF_UNIX, SOCK_DGRAM | Linux.CLOEXEC, 0);
        if (fd < 0) {
            return false;
        }
        int r = addressed(Linux.CONNECT, fd, path);
        Linux.close(fd);
        return r == -Linux.ECONNREFUSED;
    }

    private static int addressed(int call, int fd, String path) {
        byte[] bytes = path.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_PATH_BYTES) {
            return -ENAMETOOLONG;
        }
        try (SyscallBuffer address = SyscallBuffer.allocate(110)) {
            address.putShort(0, AF_UNIX);
            address.copyIn(bytes, 0, 2, bytes.length);
            return (int) Linux.call(call, fd, address.address(), 2L + bytes.length + 1);
        }
    }

    public static int accept(int fd) {
        int flags = Linux.CLOEXEC | Linux.NONBLOCK;
        try (SyscallBuffer on = SyscallBuffer.allocate(4)) { // first, as in open
            return inLine((int) Linux.call(Linux.ACCEPT4, fd, 0, 0, flags, 0, 0), on);
        }
    }

    /** The process at the other end, or null if the kernel does not say. */
    public static Peer peer(int fd) {
        try (SyscallBuffer s = SyscallBuffer.allocate(16)) {
            int len = TcpSocketFd.option(fd, SOL_SOCKET, SO_PEERCRED, s, 12);
            return len < 0 ? null : new Peer(s.getInt(0), s.getInt(4));
        }
    }

    /**
     * Whether the process at the other end runs as this process's user, whatever uid it shows: the
     * kernel lets this process signal it. False if that process has ended or the kernel is older
     * than 6.5.
     */
    public static boolean peerMayBeSignalled(int fd) {
        int process = -1;
        try (SyscallBuffer s = SyscallBuffer.allocate(8)) {
            s.putInt(0, -1);
            if (TcpSocketFd.option(fd, SOL_SOCKET, SO_PEERPIDFD, s, 4) < 0) {
                return false;
            }
            process = s.getInt(0);
            return process >= 0 && Linux.call(Linux.PIDFD_SEND_SIGNAL, process, 0, 0, 0, 0, 0) == 0;
        } finally {
            if (process >= 0) {
                Linux.close(process);
            }
        }
    }

    /** Sends what fits, together with those of the two descriptors that are not negative. */
    public static int send(int fd, byte[] b, int off, int len, int passed, int second) {
        int count = (passed >= 0 ? 1 : 0) + (second >= 0 ? 1 : 0);
        int control = count > 0 ? CONTROL_BYTES : 0;
        try (SyscallBuffer m = message(len, control)) {
            m.copyIn(b, off, CONTROL + control, len);
            if (count > 0) {
                m.putLong(CONTROL, 16 + 4L * count);
                m.putInt(CONTROL + 8, SOL_SOCKET);
                m.putInt(CONTROL + 12, SCM_RIGHTS);
                m.putInt(CONTROL + 16, passed >= 0 ? passed : second);
                m.putInt(CONTROL + 20, count == 2 ? second : 0);
            }
            int flags = MSG_DONTWAIT | MSG_NOSIGNAL;
            return (int) Linux.callAgain(Linux.SENDMSG, fd, m.address(), flags, 0, 0, 0);
        }
    }

    /**
     * Receives what is there: a count, 0 at the end of the stream, or -errno. Puts descriptors that
     * came along into the negative elements of {@code passed}. If there are more of them, ends the
     * stream.
     *
     * <p>Peeks before it takes the bytes, so that descriptors that are too many stay in the socket.
     * Otherwise the kernel would close them within the call, however long that takes, and a
     * stranger could fill the descriptor table of this process.
     */
    public static int receive(int fd, byte[] b, int off, int len, int[] passed) {
        try (SyscallBuffer m = message(len, CONTROL_BYTES)) {
            int n = receive(fd, m, MSG_PEEK);
            if (n <= 0) {
                return n;
            }
            boolean fit = !cut(m);
            if (fit) {
                m.putLong(VECTOR + 8, n);
                m.putLong(HEADER_CONTROL + 8, 0);
                n = receive(fd, m, 0);
            }
            // a peek may show those of the next message, too: then none are cut off here
            boolean came = fit && cut(m);
            fit &= takeDescriptors(m, came ? passed : NONE) || !came;
            if (!fit) {
                shutdown(fd);
                return 0;
            }
            m.copyOut(CONTROL + CONTROL_BYTES, b, off, Math.max(n, 0));
            return n;
        }
    }

    private static int receive(int fd, SyscallBuffer m, int how) {
        return (int) Linux.callAgain(Linux.RECVMSG, fd, m.address(), RECEIVE | how, 0, 0, 0);
    }

    /** Whether there was no room for some of the descriptors. */
    private static boolean cut(SyscallBuffer m) {
        return (m.getInt(HEADER_FLAGS) & MSG_CTRUNC) != 0;
    }

    /**
     * Moves received descriptors into {@code passed}, and closes those that do not fit. Returns
     * whether all fitted. Other control data does not come, because it is not asked for.
     */
    static boolean takeDescriptors(SyscallBuffer m, int[] passed) {
        boolean all = true;
        // without the padding, which counts towards the length in the header of the message
        int end = (int) m.getLong(CONTROL);
        for (int at = CONTROL_HEADER_BYTES; at + 4 <= end; at += 4) {
            int came = m.getInt(CONTROL + at);
            int free = 0;
            while (free < passed.length && passed[free] >= 0) {
                free++;
            }
            if (free < passed.length) {
                passed[free] = came;
            } else {
                TcpSocketFd.closeStrange(came);
                all = false;
            }
        }
        return all;
    }

    /**
     * Counts the bytes that are there, up to {@link WakeBytes#BYTES}, if no descriptors are: a
     * count, 0 at the end of the stream, {@link #DESCRIPTORS}, or -errno. Takes nothing.
     */
    private static int look(int fd) {
        try (SyscallBuffer m = message(WakeBytes.BYTES, 0)) {
            int n = receive(fd, m, MSG_PEEK);
            return cut(m) ? DESCRIPTORS : n;
        }
    }

    /** Allocates a {@code struct msghdr} of 64-bit Linux and everything that it points to. */
    private static SyscallBuffer message(int len, int controlBytes) {
        int bytes = CONTROL + controlBytes + Math.max(len, 1);
        return message(SyscallBuffer.allocate(bytes), len, controlBytes);
    }

    static SyscallBuffer message(SyscallBuffer m, int len, int controlBytes) {
        long at = m.address();
        m.putLong(HEADER_VECTOR, at + VECTOR);
        m.putLong(HEADER_VECTOR + 8, 1);
        m.putLong(VECTOR, at + CONTROL + controlBytes);
        m.putLong(VECTOR + 8, len);
        if (controlBytes > 0) {
            m.putLong(HEADER_CONTROL, at + CONTROL);
            m.putLong(HEADER_CONTROL + 8, controlBytes);
        }
        return m;
    }

    /** Waits at most {@code nanos} until something can be received. Returns whether it can. */
    public static boolean awaitReadable(int fd, long nanos) {
        try (SyscallBuffer s = SyscallBuffer.allocate(24)) {
            s.putInt(0, fd);
            s.putShort(4, POLLIN);
            s.putLong(8, nanos / 1_000_000_000L);
            s.putLong(16, nanos % 1_000_000_000L);
            return Linux.call(Linux.PPOLL, s.address(), 1, s.address() + 8, 0, 8, 0) > 0;
        }
    }

    /** Sends one byte if there is room for it. Allocates nothing, never blocks. */
    public static void ring(int fd) {
        Linux.callQuietly(Linux.SENDTO, fd, WAKE_BYTE, 1, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
    }

    /**
     * Receives what fits: a count, 0 = nothing now, -1 at the end of the stream or after an error.
     * Closes descriptors that come along, and then ends the stream.
     */
    public static int drain(int fd, WakeBytes into) {
        long n = most(fd);
        if (n > 0) {
            n = Linux.call(Linux.RECVMSG, fd, into.prepare(n), RECEIVE, 0, 0, 0);
        }
        if (endedByDescriptors(fd, n, into)) {
            return -1;
        }
        return n > 0 ? (int) n : n == -Linux.EAGAIN || n == -Linux.EINTR ? 0 : -1;
    }

    /**
     * As {@link #drain}, for callers that need not know why nothing came: a count, 0 at the end of
     * the stream, -1 = nothing now or an error. Allocates nothing unless descriptors of strangers
     * wait to be closed.
     */
    public static int discard(int fd, WakeBytes into) {
        long n = most(fd);
        if (n > 0) {
            n = Linux.callQuietly(Linux.RECVMSG, fd, into.prepare(n), RECEIVE, 0, 0, 0);
        }
        return endedByDescriptors(fd, n, into) ? 0 : (int) Math.max(n, -1);
    }

    /**
     * Returns how many bytes may be received at once. While many descriptors wait to be closed, no
     * more are taken, and the result is that of {@link #look}.
     */
    private static int most(int fd) {
        return StrangeFd.behind() ? look(fd) : WakeBytes.BYTES;
    }

    private static boolean endedByDescriptors(int fd, long received, WakeBytes bytes) {
        boolean came = received == DESCRIPTORS || (received > 0 && bytes.closeDescriptors());
        if (came) {
            shutdown(fd);
        }
        return came;
    }

    /** Ends the stream in both directions. The peer sees the end at once. */
    public static void shutdown(int fd) {
        Linux.callQuietly(Linux.SHUTDOWN, fd, SHUT_RDWR, 0, 0, 0, 0);
    }

    /**
     * Closes a socket with a stranger at its other end, who sees the end at once. With the socket
     * the kernel closes descriptors that lie unread in it, however long that takes. So another
     * thread closes the socket if there are descriptors, or more bytes than the few that a
     * well-behaved peer sends.
     */
    public static void close(int fd) {
        shutdown(fd); // nothing is added from here on
        int n;
        try {
            n = look(fd);
            if (n > 0) {
                receive(fd, new byte[n], 0, n, NONE);
                n = look(fd); // an urgent byte behind others is not seen before
            }
        } catch (OutOfMemoryError e) {
            Linux.close(fd); // late rather than never
            throw e;
        }
        if (n > 0 || n == DESCRIPTORS) {
            StrangeFd.closeLater(fd);
        } else {
            Linux.close(fd);
        }
    }

    /**
     * Closes a listener. Clients in its backlog may have sent descriptors, so each is closed as
     * {@link #close} does. Once {@link StrangeFd} is behind, its thread closes the listener with
     * those that are left.
     */
    public static void closeListener(int fd) {
        shutdown(fd); // none is added from here on
        int waiting;
        try {
            do {
                waiting = accept(fd);
                if (waiting >= 0) {
                    close(waiting);
                }
            } while (waiting >= 0 && !StrangeFd.behind());
        } catch (OutOfMemoryError e) {
            Linux.close(fd);
            throw e;
        }
        if (waiting == -Linux.EAGAIN) {
            Linux.close(fd);
        } else {
            StrangeFd.closeLater(fd);
        }
    }
}
