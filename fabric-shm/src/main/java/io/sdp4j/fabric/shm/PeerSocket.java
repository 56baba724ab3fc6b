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
 * The Unix-domain socket of one connection: hand-shake first, then wake-up bytes, and the sign of
 * the peer's end.
 *
 * <p>Non-blocking throughout. {@link #ring}, {@link #shutdown} and {@link #close} may come from any
 * thread, but nothing may be called during or after {@code close}.
 */
final class PeerSocket {
    private final int fd;
    private final EpollLoop loop;
    private final int[] passed = {-1, -1};
    private volatile Handler handler;
    private long watch;

    /** The kernel's word at the time of the connect, which never changes. */
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

    /** Told on the event thread what happens on the socket. */
    interface Handler {
        /** Something can be received; called again only after new bytes came. */
        void onReadable();

        /** The peer is gone; bytes that it sent before may still be there. */
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
     * Sends all of it, which a fresh socket always takes.
     *
     * @param descriptor passed along, unless negative; stays the caller's
     * @param second likewise
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

    /** The first descriptor that was received and not taken, now the caller's, or -1. */
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
     * using the handler; the handler is told of the end. Allocates nothing.
     *
     * @return how many had come, 0 at the end of the stream, or negative
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
     * Whether {@link #drain} met {@link ShmTransport#FREE} since the last call, on a link not
     * watched.
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

    /** Starts calls to {@code handler}, or sends them to another one. */
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
            Handler told = handler; // it may have been handed on
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
     * On the event thread: the peer's next word is about to come; {@code nanos} of busy polling are
     * cheaper than a sleep. 0 = it came.
     */
    void expect(long nanos) {
        loop.expect(nanos);
    }

    /** Descriptor that another epoll can watch for bytes. */
    int descriptor() {
        return fd;
    }

    /** Whether the handler is told of bytes. It always is of the end. */
    void tellOfBytes(boolean tell) {
        loop.listen(watch, fd, tell);
    }

    /** Lets the peer see the end now. */
    void shutdown() {
        UnixFd.shutdown(fd);
    }

    /**
     * The user at the other end by the kernel's word, or {@link PeerCredentials#STRANGER}. For a
     * listener's link, who called listen.
     */
    long peerUid() {
        askKernel();
        return peerUid;
    }

    /** The process at the other end as this one sees it; 0 = not told, or not visible from here. */
    int peerPid() {
        askKernel();
        return peerPid;
    }

    /** Both, for people. */
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

    /** A number that stands for many users is believed only of a process that is ours. */
    private long user(long uid) {
        return UidMap.own().ambiguous(uid) && !UnixFd.peerMayBeSignalled(fd)
                ? PeerCredentials.STRANGER
                : uid;
    }

    void close() {
        if (watch > 0) {
            loop.forget(watch);
        }
        while (passed[0] >= 0) {
            TcpSocketFd.closeStrange(takeDescriptor());
        }
        WakeBytes closing = wakeBytes;
        wakeBytes = null; // first: a close that fails may be followed by another one
        if (closing != null) {
            closing.close();
        }
        UnixFd.close(fd);
    }
}
