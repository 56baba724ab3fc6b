package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * Unix-domain stream sockets as raw descriptors, all non-blocking and close-on-exec.
 *
 * <p>Raw, because descriptors must travel over them and because the kernel's word about the peer
 * ({@code SO_PEERCRED}) comes with uid and pid only this way. Results are counts, descriptors or
 * {@code -errno}.
 */
public final class UnixFd {
    /** Longest path of a socket, without the final zero. */
    public static final int MAX_PATH_BYTES = 107;

    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_DGRAM = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SO_PEERCRED = 17;
    private static final int SO_PEERPIDFD = 77;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_DONTWAIT = 0x40;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int POLLIN = 1;
    private static final int SHUT_RDWR = 2;
    private static final int MSGHDR_BYTES = 56;
    private static final int CONTROL_BYTES = 24;

    /** One byte to send. */
    private static final MemorySegment WAKE_BYTE = Arena.global().allocate(8, 8);

    private UnixFd() {}

    /**
     * The process at the other end as the kernel saw it when the connection, or the listener, was
     * made.
     */
    public record Peer(int pid, int uid, int gid) {}

    public static int open() {
        return (int)
                Linux.call(Linux.SOCKET, AF_UNIX, SOCK_STREAM | Linux.CLOEXEC | Linux.NONBLOCK, 0);
    }

    /** Connects to the listener behind {@code path}; -EAGAIN if its backlog is full. */
    public static int connect(int fd, String path) {
        return addressed(Linux.CONNECT, fd, path);
    }

    /** A listener at {@code path}, which must not exist; the descriptor or -errno. */
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
     * Whether the socket file {@code path} has lost its process. Told by the error that a datagram
     * socket gets for connecting to a stream listener, so a living listener notices nothing.
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
            return -36;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = arena.allocate(110, 2);
            address.set(JAVA_SHORT, 0, (short) AF_UNIX);
            MemorySegment.copy(bytes, 0, address, JAVA_BYTE, 2, bytes.length);
            return (int) Linux.call(call, fd, address.address(), 2L + bytes.length + 1);
        }
    }

    public static int accept(int fd) {
        return (int) Linux.call(Linux.ACCEPT4, fd, 0, 0, Linux.CLOEXEC | Linux.NONBLOCK, 0, 0);
    }

    /** The process at the other end, or null if the kernel does not say. */
    public static Peer peer(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(16, 8);
            s.set(JAVA_INT, 12, 12);
            long r =
                    Linux.call(
                            Linux.GETSOCKOPT,
                            fd,
                            SOL_SOCKET,
                            SO_PEERCRED,
                            s.address(),
                            s.address() + 12,
                            0);
            return r < 0
                    ? null
                    : new Peer(s.get(JAVA_INT, 0), s.get(JAVA_INT, 4), s.get(JAVA_INT, 8));
        }
    }

    /**
     * Whether the process at the other end runs as this one's user, whatever number it shows: the
     * kernel lets this one signal it. False if it has ended, or if the kernel is older than 6.5.
     */
    public static boolean peerMayBeSignalled(int fd) {
        int process = -1;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(8, 8);
            s.set(JAVA_INT, 0, -1);
            s.set(JAVA_INT, 4, 4);
            long at = s.address();
            if (Linux.call(Linux.GETSOCKOPT, fd, SOL_SOCKET, SO_PEERPIDFD, at, at + 4, 0) < 0) {
                return false;
            }
            process = s.get(JAVA_INT, 0);
            return process >= 0 && Linux.call(Linux.PIDFD_SEND_SIGNAL, process, 0, 0, 0, 0, 0) == 0;
        } finally {
            if (process >= 0) {
                Linux.close(process);
            }
        }
    }

    /** Sends what fits, with those of the two descriptors beside it that are not negative. */
    public static int send(int fd, byte[] b, int off, int len, int passed, int second) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(Math.max(len, 1), 8);
            MemorySegment.copy(b, off, data, JAVA_BYTE, 0, len);
            MemorySegment header = header(arena, data, len);
            int count = (passed >= 0 ? 1 : 0) + (second >= 0 ? 1 : 0);
            if (count > 0) {
                MemorySegment control = arena.allocate(CONTROL_BYTES, 8);
                control.set(JAVA_LONG, 0, 16 + 4L * count);
                control.set(JAVA_INT, 8, SOL_SOCKET);
                control.set(JAVA_INT, 12, SCM_RIGHTS);
                control.set(JAVA_INT, 16, passed >= 0 ? passed : second);
                control.set(JAVA_INT, 20, count == 2 ? second : 0);
                header.set(JAVA_LONG, 32, control.address());
                header.set(JAVA_LONG, 40, 24);
            }
            return (int)
                    Linux.callAgain(
                            Linux.SENDMSG,
                            fd,
                            header.address(),
                            MSG_DONTWAIT | MSG_NOSIGNAL,
                            0,
                            0,
                            0);
        }
    }

    /**
     * Receives what is there: a count, 0 at the end of the stream, or -errno. Descriptors that came
     * along are put into elements of {@code passed} that are negative; others are closed.
     */
    public static int receive(int fd, byte[] b, int off, int len, int[] passed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(len, 8);
            MemorySegment header = header(arena, data, len);
            MemorySegment control = arena.allocate(CONTROL_BYTES, 8);
            header.set(JAVA_LONG, 32, control.address());
            header.set(JAVA_LONG, 40, CONTROL_BYTES);
            int n =
                    (int)
                            Linux.callAgain(
                                    Linux.RECVMSG,
                                    fd,
                                    header.address(),
                                    MSG_DONTWAIT | MSG_CMSG_CLOEXEC,
                                    0,
                                    0,
                                    0);
            if (n < 0) {
                return n;
            }
            takeDescriptors(header, control, passed);
            MemorySegment.copy(data, JAVA_BYTE, 0, b, off, n);
            return n;
        }
    }

    private static void takeDescriptors(MemorySegment header, MemorySegment control, int[] passed) {
        long used = Math.min(header.get(JAVA_LONG, 40), CONTROL_BYTES);
        if (used < 20
                || control.get(JAVA_INT, 8) != SOL_SOCKET
                || control.get(JAVA_INT, 12) != SCM_RIGHTS) {
            return;
        }
        long end = Math.min(control.get(JAVA_LONG, 0), CONTROL_BYTES);
        for (long at = 16; at + 4 <= end; at += 4) {
            int came = control.get(JAVA_INT, at);
            int free = 0;
            while (free < passed.length && passed[free] >= 0) {
                free++;
            }
            if (free < passed.length) {
                passed[free] = came;
            } else {
                Linux.close(came);
            }
        }
    }

    /** {@code struct msghdr} of 64-bit Linux. */
    private static MemorySegment header(Arena arena, MemorySegment data, int len) {
        MemorySegment vector = arena.allocate(16, 8);
        vector.set(JAVA_LONG, 0, data.address());
        vector.set(JAVA_LONG, 8, len);
        MemorySegment header = arena.allocate(MSGHDR_BYTES, 8);
        header.set(JAVA_LONG, 16, vector.address());
        header.set(JAVA_LONG, 24, 1);
        return header;
    }

    /** Waits at most {@code nanos} until something can be received; whether it can. */
    public static boolean awaitReadable(int fd, long nanos) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(24, 8);
            s.set(JAVA_INT, 0, fd);
            s.set(JAVA_SHORT, 4, (short) POLLIN);
            s.set(JAVA_LONG, 8, nanos / 1_000_000_000L);
            s.set(JAVA_LONG, 16, nanos % 1_000_000_000L);
            return Linux.call(Linux.PPOLL, s.address(), 1, s.address() + 8, 0, 8, 0) > 0;
        }
    }

    /** Sends one byte, and does not care whether it fits. Allocates nothing, never blocks. */
    public static void ring(int fd) {
        Linux.callQuietly(
                Linux.SENDTO, fd, WAKE_BYTE.address(), 1, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
    }

    /**
     * Receives what fits: a count, 0 = nothing now, -1 at the end of the stream or after an error.
     */
    public static int drain(int fd, MemorySegment into) {
        long n =
                Linux.call(Linux.RECVFROM, fd, into.address(), into.byteSize(), MSG_DONTWAIT, 0, 0);
        return n > 0 ? (int) n : n == -Linux.EAGAIN || n == -Linux.EINTR ? 0 : -1;
    }

    /**
     * As {@link #drain} for callers that do not care why nothing came: a count, 0 at the end of the
     * stream, -1 = nothing now or an error. Allocates nothing.
     */
    public static int discard(int fd, MemorySegment into) {
        return (int)
                Linux.callQuietly(
                        Linux.RECVFROM, fd, into.address(), into.byteSize(), MSG_DONTWAIT, 0, 0);
    }

    /** Ends the stream in both directions; the peer sees its end at once. */
    public static void shutdown(int fd) {
        Linux.callQuietly(Linux.SHUTDOWN, fd, SHUT_RDWR, 0, 0, 0, 0);
    }
}
