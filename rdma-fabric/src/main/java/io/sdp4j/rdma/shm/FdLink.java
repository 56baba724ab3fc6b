package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.os.EpollLoop;
import io.sdp4j.rdma.os.Linux;
import io.sdp4j.rdma.os.UnixFd;
import java.io.EOFException;
import java.io.IOException;

/** A link over a raw descriptor. */
final class FdLink extends Link {
    private final int fd;
    private final EpollLoop loop;
    private final int[] passed = {-1};
    private volatile Handler handler;
    private long watch;

    FdLink(int fd, EpollLoop loop) {
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
    void send(byte[] bytes, int len, int descriptor) throws IOException {
        int n = UnixFd.send(fd, bytes, 0, len, descriptor);
        if (n != len) {
            throw n < 0
                    ? new IOException("send: " + Linux.text(n))
                    : new EOFException("sent " + n + " of " + len + " bytes");
        }
    }

    @Override
    int takeDescriptor() {
        int taken = passed[0];
        passed[0] = -1;
        return taken;
    }

    @Override
    boolean drain() {
        return UnixFd.drain(fd);
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

    private void onEvents(int events) {
        if ((events & EpollLoop.IN) != 0) {
            handler.onReadable();
        }
        if ((events & (EpollLoop.RDHUP | EpollLoop.HUP | EpollLoop.ERR)) != 0) {
            handler.onHangup();
        }
    }

    @Override
    void awaitReadable(long nanos) {
        UnixFd.awaitReadable(fd, nanos);
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
        UnixFd.Peer peer = UnixFd.peer(fd);
        return peer == null ? Trust.STRANGER : Integer.toUnsignedLong(peer.uid());
    }

    @Override
    void close() {
        if (watch > 0) {
            loop.forget(watch);
        }
        if (passed[0] >= 0) {
            Linux.close(takeDescriptor());
        }
        Linux.close(fd);
    }
}
