package io.sdp4j.linux;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;

/**
 * A netlink socket: datagrams to and from the kernel, whose contents are not interpreted here.
 * Datagrams from other processes are thrown away.
 *
 * <p>Not thread-safe; {@link #close} is idempotent and gives the memory back.
 */
public final class NetlinkSocket implements Closeable {
    /** A dump comes in pieces of no more than this. */
    private static final int ROOM_BYTES = 32 << 10;

    /** Announcements are short. */
    private static final int ANNOUNCEMENT_BYTES = 16 << 10;

    private static final int SENDER_BYTES = 16;

    /** Announcements in a row before other tasks of the event thread have a turn. */
    private static final int TURN = 64;

    /** Between a receive that failed and the next: the error may last. */
    private static final long RETRY_NANOS = 100_000_000L;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment buffer = arena.allocate(ROOM_BYTES + SENDER_BYTES, 8);
    private final int fd;
    private boolean closed;

    private NetlinkSocket(int protocol) throws IOException {
        int opened = NetlinkFd.open(protocol, 0);
        if (opened < 0) {
            arena.close();
            throw failed("open", opened);
        }
        fd = opened;
    }

    /**
     * Opens a socket.
     *
     * @param protocol of netlink
     */
    public static NetlinkSocket open(int protocol) throws IOException {
        requireNative();
        return new NetlinkSocket(protocol);
    }

    /** Sends one datagram; the kernel answers before this returns. */
    public void send(byte[] datagram) throws IOException {
        requireOpen();
        int r = NetlinkFd.send(fd, datagram);
        if (r < 0) {
            throw failed("send", r);
        }
    }

    /** The next datagram, or null if there is none. Never waits. */
    public byte[] receive() throws IOException {
        requireOpen();
        int n = NetlinkFd.receive(fd, buffer);
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
     * @param loop from {@link EventLoops}
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
        int fd = NetlinkFd.open(protocol, groups);
        if (fd < 0) {
            throw failed("open", fd);
        }
        Watch watch = new Watch(epoll, fd, onDatagram);
        long number = epoll.watch(fd, watch::onReady);
        if (number < 0) {
            Linux.close(fd);
            watch.arena.close();
            throw failed("watch", number);
        }
        return () -> epoll.execute(() -> watch.end(number));
    }

    /** All but the constructor runs on the event thread. */
    static final class Watch {
        final Arena arena = Arena.ofShared();
        final MemorySegment buffer = arena.allocate(ANNOUNCEMENT_BYTES + SENDER_BYTES, 8);
        final EpollLoop loop;
        final int fd;
        final Consumer<byte[]> onDatagram;
        boolean ended;
        boolean again; // a timer goes on

        Watch(EpollLoop loop, int fd, Consumer<byte[]> onDatagram) {
            this.loop = loop;
            this.fd = fd;
            this.onDatagram = onDatagram;
        }

        /** Takes all there is: the next event comes only after the socket was empty. */
        void onReady(int events) {
            int n = 0;
            for (int i = 0; i < TURN && n >= 0; i++) {
                if (ended) {
                    return;
                }
                n = NetlinkFd.receive(fd, buffer);
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
                Linux.close(fd);
                arena.close();
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
