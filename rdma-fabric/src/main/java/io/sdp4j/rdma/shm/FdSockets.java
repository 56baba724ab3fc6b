package io.sdp4j.rdma.shm;

import io.sdp4j.rdma.FabricException;
import io.sdp4j.rdma.os.EpollLoop;
import io.sdp4j.rdma.os.Linux;
import io.sdp4j.rdma.os.UnixFd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sockets as raw descriptors. */
final class FdSockets implements SocketKind {
    private static final int BACKLOG = 4096;
    private static final int BATCH = 64;
    private final EpollLoop loop;

    FdSockets(EpollLoop loop) {
        this.loop = loop;
    }

    @Override
    public Link connect(Path path, Runnable ifDead) throws FabricException {
        if (!Linux.exists(path.toString())) {
            return null; // much the commonest case
        }
        int fd = UnixFd.open();
        if (fd < 0) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES, "no socket: " + Linux.text(fd));
        }
        int r = UnixFd.connect(fd, path.toString());
        if (r >= 0) {
            return new FdLink(fd, loop);
        }
        Linux.close(fd);
        if (r == -Linux.EAGAIN) {
            throw new FabricException(
                    FabricException.Cause.RESOURCES, "the backlog of " + path + " is full");
        }
        if (r == -Linux.ECONNREFUSED) {
            ifDead.run();
        }
        return null;
    }

    @Override
    public boolean isDead(Path path) {
        return UnixFd.isDead(path.toString());
    }

    @Override
    public Runnable listen(Path path, Consumer<Link> taker) throws IOException {
        int fd = UnixFd.listen(path.toString(), BACKLOG);
        if (fd < 0) {
            throw new IOException("cannot listen at " + path + ": " + Linux.text(fd));
        }
        Listening l = new Listening(fd, taker);
        l.watch = loop.watch(fd, events -> l.takeAll());
        if (l.watch < 0) {
            Linux.close(fd);
            throw new IOException("epoll: " + Linux.text(l.watch));
        }
        return l::close;
    }

    private final class Listening {
        private final int fd;
        private final Consumer<Link> taker;
        private long watch;
        private boolean closed;

        Listening(int fd, Consumer<Link> taker) {
            this.fd = fd;
            this.taker = taker;
        }

        private void takeAll() {
            for (int n = 0; n < BATCH; n++) {
                int accepted = accept();
                if (accepted == -Linux.EAGAIN) {
                    return;
                }
                if (accepted >= 0) {
                    taker.accept(new FdLink(accepted, loop));
                } else if (accepted == -Linux.EMFILE
                        || accepted == -Linux.ENFILE
                        || accepted == -Linux.ENOMEM) {
                    // edge-triggered: nobody will call again for those that wait
                    loop.schedule(this::takeAll, TimeUnit.MILLISECONDS.toNanos(20));
                    return;
                }
            }
            loop.execute(this::takeAll);
        }

        private synchronized int accept() {
            return closed ? -Linux.EAGAIN : UnixFd.accept(fd);
        }

        synchronized void close() {
            if (!closed) {
                closed = true;
                loop.forget(watch);
                Linux.close(fd);
            }
        }
    }
}
