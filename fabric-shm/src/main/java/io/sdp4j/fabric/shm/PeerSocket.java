package io.sdp4j.fabric.shm;

import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.TcpSocketFd;
import io.sdp4j.linux.UidMap;
import io.sdp4j.linux.UnixFd;
import io.sdp4j.linux.WakeBytes;
import java.io.EOFException;
import java.io.IOException;

/**
 * The Unix-domain socket of one connection. It carries the hand-shake, then wake-up bytes, and its
 * end shows the end of the peer.
 *
 * <p>Non-blocking. Any thread may call {@link #ring}, {@link #shutdown} and {@link #close}, but no
 * call may run during or after {@code close}.
 */
final class PeerSocket {
    private final int fd;
    private final EpollLoop loop;
    private final int[] passed = {-1, -1};
    private volatile Handler handler;
    private long watch;

    /** The peer's uid as the kernel recorded it at the connect; never changes. */
    private long peerUid;

    private int peerPid;

    private boolean peerKnown;
    private volatile boolean free;

    /** Receives wake-up bytes; made for the first byte. */
    private WakeBytes wakeBytes;

    PeerSocket(int fd, EpollLoop loop) {
        this.fd = fd;
        this.loop = loop;
    }

    /** Called on the event thread when something happens on the socket. */
    interface Handler {
        /** Called when something can be received, and again only after new bytes came. */
        void onReadable();

        /** Called when the peer is gone; bytes that the peer sent before may still be there. */
        void onHangup();
    }

    /**
     * Receives what is there: a count, 0 = nothing now, -1 = end of stream.
     *
     * @throws EOFException if the peer has left with bytes unread
     */
    int receive(byte[] into, int off, int len) throws IOException {
        int n = UnixFd.receive(fd, into, off, len, passed);
        if (n == -Linux.EAGAIN) {
            return 0;
        }
        if (n < 0) {
            throw failed("receive", n);
        }
        return n == 0 ? -1 : n;
    }

    void send(byte[] bytes, int len, int descriptor) throws IOException {
        send(bytes, len, descriptor, -1);
    }

    /**
     * Sends all of {@code bytes}; a fresh socket always has room for them.
     *
     * @param descriptor passed along unless negative; the caller keeps it
     * @param second another descriptor, treated alike
     * @throws EOFException if the peer has left
     */
    void send(byte[] bytes, int len, int descriptor, int second) throws IOException {
        int n = UnixFd.send(fd, bytes, 0, len, descriptor, second);
        if (n != len) {
            throw n < 0
                    ? failed("send", n)
                    : new IOException("sent " + n + " of " + len + " bytes");
        }
    }

    private static IOException failed(String call, int result) {
        String text = call + ": " + Linux.text(result);
        return result == -Linux.EPIPE || result == -Linux.ECONNRESET
                ? new EOFException(text)
                : new IOException(text);
    }

    /**
     * Takes the first descriptor that was received and not taken yet, which the caller then owns;
     * -1 if there is none.
     */
    int takeDescriptor() {
        int taken = passed[0];
        passed[0] = passed[1];
        passed[1] = -1;
        return taken;
    }

    /**
     * Takes some of the wake-up bytes that came; false if the peer is gone. One thread at a time.
     */
    boolean drain() {
        int n = UnixFd.drain(fd, wakeBytes());
        lookForFree(n);
        return n >= 0;
    }

    /**
     * Takes some of the wake-up bytes, for a caller that watches {@link #descriptor} instead of
     * using the handler; the handler is still told of the end. Allocates nothing.
     *
     * @return how many bytes had come, 0 at the end of the stream, or negative
     */
    int discard() {
        int n = UnixFd.discard(fd, wakeBytes());
        lookForFree(n);
        return n;
    }

    private void lookForFree(int n) {
        if (n > 0 && wakeBytes.last(n) == ShmTransport.FREE) {
            free = true;
        }
    }

    private WakeBytes wakeBytes() {
        if (wakeBytes == null) {
            wakeBytes = new WakeBytes();
        }
        return wakeBytes;
    }

    /**
     * Whether {@link #drain} or {@link #discard} received {@link ShmTransport#FREE} since the last
     * call. Only for a link that is not watched.
     */
    boolean takeFree() {
        boolean was = free;
        free = false;
        return was;
    }

    /** Sends one byte if there is room. */
    void ring() {
        UnixFd.ring(fd);
    }

    /** Starts calls to the handler {@code next}, or redirects them to it. */
    void watch(Handler next) throws IOException {
        boolean first = handler == null;
        handler = next;
        if (first) {
            watch = loop.watch(fd, this::onEvents);
            if (watch < 0) {
                throw new IOException("epoll: " + Linux.text(watch));
            }
        }
    }

    /** Ends the calls to the handler until {@link #watch} is called again. */
    void unwatch() {
        if (watch > 0) {
            loop.unwatch(fd, watch);
            watch = 0;
            handler = null;
        }
    }

    private void onEvents(int events) {
        try {
            Handler told = handler;
            if (told != null && (events & EpollLoop.IN) != 0) {
                told.onReadable();
            }
        } finally {
            Handler told = handler; // the socket may have another handler now
            if (told != null && (events & (EpollLoop.RDHUP | EpollLoop.HUP | EpollLoop.ERR)) != 0) {
                told.onHangup();
            }
        }
    }

    /** Waits at most {@code nanos} for something to receive, on a link that is not watched. */
    void awaitReadable(long nanos) {
        UnixFd.awaitReadable(fd, nanos);
    }

    /** Whether there is something to receive. Any thread. */
    boolean readable() {
        return UnixFd.awaitReadable(fd, 0);
    }

    /**
     * Lets the event loop poll for {@code nanos} instead of sleeping, because the peer's next
     * message is about to come; 0 = it came. Event thread.
     */
    void expect(long nanos) {
        loop.expect(nanos);
    }

    /** Returns the descriptor, which another epoll can watch for bytes. */
    int descriptor() {
        return fd;
    }

    /** Sets whether the handler is told of bytes; of the end it always is. */
    void tellOfBytes(boolean tell) {
        loop.listen(watch, fd, tell);
    }

    /** Shuts the socket down, so that the peer sees the end now. */
    void shutdown() {
        UnixFd.shutdown(fd);
    }

    /**
     * Returns the user at the other end as the kernel knows it, or {@link
     * PeerCredentials#STRANGER}. On a link to a listener this is the user that called listen.
     */
    long peerUid() {
        askKernel();
        return peerUid;
    }

    /**
     * Returns the pid of the process at the other end in this PID namespace; 0 = the kernel does
     * not tell it, or the process is not visible from here.
     */
    int peerPid() {
        askKernel();
        return peerPid;
    }

    /** Returns process and user, for people. */
    String peerName() {
        int pid = peerPid();
        return (pid > 0 ? "process " + pid : "a process")
                + " of "
                + PeerCredentials.user(peerUid());
    }

    private void askKernel() {
        if (!peerKnown) {
            UnixFd.Peer peer = UnixFd.peer(fd);
            peerUid =
                    peer == null
                            ? PeerCredentials.STRANGER
                            : user(Integer.toUnsignedLong(peer.uid()));
            peerPid = peer == null ? 0 : peer.pid();
            peerKnown = true;
        }
    }

    /**
     * Returns the uid; but if it may stand for many users, only if the process runs as our user.
     */
    private long user(long uid) {
        return UidMap.own().ambiguous(uid) && !UnixFd.peerMayBeSignalled(fd)
                ? PeerCredentials.STRANGER
                : uid;
    }

    /** Releases everything also where heap lacks. */
    void close() {
        try {
            if (watch > 0) {
                loop.forget(watch);
            }
        } finally {
            while (passed[0] >= 0) {
                TcpSocketFd.closeStrange(takeDescriptor());
            }
            if (wakeBytes != null) {
                wakeBytes.close();
            }
            UnixFd.close(fd);
        }
    }
}
