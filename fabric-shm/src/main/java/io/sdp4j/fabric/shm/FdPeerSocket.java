package io.sdp4j.fabric.shm;

import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.UidMap;
import io.sdp4j.linux.UnixFd;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** A link over a raw descriptor. */
final class FdPeerSocket extends PeerSocket {
    private static final int WAKE_BYTES = 64;

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
    private ByteBuffer wakeBytes;

    private MemorySegment wakeMemory; // of wakeBytes

    FdPeerSocket(int fd, EpollLoop loop) {
        this.fd = fd;
        this.loop = loop;
    }

    @Override
    int receive(byte[] into, int off, int len) throws IOException {
        int n = UnixFd.receive(fd, into, off, len, passed);
        if (n == -Linux.EAGAIN) {
            return 0;
        }
        if (n < 0) {
            throw new IOException("receive: " + Linux.text(n));
        }
        return n == 0 ? -1 : n;
    }

    @Override
    void send(byte[] bytes, int len, int descriptor, int second) throws IOException {
        int n = UnixFd.send(fd, bytes, 0, len, descriptor, second);
        if (n != len) {
            throw n < 0
                    ? new IOException("send: " + Linux.text(n))
                    : new EOFException("sent " + n + " of " + len + " bytes");
        }
    }

    @Override
    int takeDescriptor() {
        int taken = passed[0];
        passed[0] = passed[1];
        passed[1] = -1;
        return taken;
    }

    @Override
    boolean drain() {
        int n = UnixFd.drain(fd, wakeMemory());
        lookForFree(n);
        return n >= 0;
    }

    @Override
    boolean discard() {
        int n = UnixFd.discard(fd, wakeMemory());
        lookForFree(n);
        return n > 0;
    }

    private void lookForFree(int n) {
        if (n > 0 && wakeBytes.get(n - 1) == ShmTransport.FREE) {
            free = true;
        }
    }

    private MemorySegment wakeMemory() {
        if (wakeBytes == null) {
            wakeBytes = ByteBuffer.allocateDirect(WAKE_BYTES);
            wakeMemory = MemorySegment.ofBuffer(wakeBytes);
        }
        return wakeMemory;
    }

    @Override
    boolean takeFree() {
        boolean was = free;
        free = false;
        return was;
    }

    @Override
    void ring() {
        UnixFd.ring(fd);
    }

    @Override
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

    @Override
    void unwatch() {
        if (watch > 0) {
            loop.unwatch(fd, watch);
            watch = 0;
            handler = null;
        }
    }

    private void onEvents(int events) {
        Handler told = handler;
        if (told != null && (events & EpollLoop.IN) != 0) {
            told.onReadable();
            told = handler; // it may have been handed on
        }
        if (told != null && (events & (EpollLoop.RDHUP | EpollLoop.HUP | EpollLoop.ERR)) != 0) {
            told.onHangup();
        }
    }

    @Override
    void awaitReadable(long nanos) {
        UnixFd.awaitReadable(fd, nanos);
    }

    @Override
    boolean readable() {
        return UnixFd.awaitReadable(fd, 0);
    }

    @Override
    void expect(long nanos) {
        loop.expect(nanos);
    }

    @Override
    int descriptor() {
        return fd;
    }

    @Override
    void tellOfBytes(boolean tell) {
        loop.listen(watch, fd, tell);
    }

    @Override
    void shutdown() {
        UnixFd.shutdown(fd);
    }

    @Override
    long peerUid() {
        askKernel();
        return peerUid;
    }

    @Override
    int peerPid() {
        askKernel();
        return peerPid;
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

    @Override
    void close() {
        if (watch > 0) {
            loop.forget(watch);
        }
        while (passed[0] >= 0) {
            Linux.close(takeDescriptor());
        }
        Linux.close(fd);
    }
}
