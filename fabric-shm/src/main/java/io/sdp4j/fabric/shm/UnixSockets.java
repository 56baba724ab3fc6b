package io.sdp4j.fabric.shm;

import io.sdp4j.fabric.FabricException;
import io.sdp4j.fabric.FabricException.Cause;
import io.sdp4j.linux.EpollLoop;
import io.sdp4j.linux.EventLoop;
import io.sdp4j.linux.Linux;
import io.sdp4j.linux.StrangeFd;
import io.sdp4j.linux.UnixFd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Makes the Unix-domain sockets of listeners and connections. */
final class UnixSockets {
    private static final int BACKLOG = 4096;
    private static final int BATCH = 64;
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private final EpollLoop loop;

    UnixSockets(EpollLoop loop) {
        this.loop = loop;
    }

    /** Takes accepted connections. Called on the event thread. */
    interface Taker {
        /**
         * Whether to accept the next connection; if not, all wait until {@link Listening#resume}.
         */
        boolean mayCome();

        /** Takes a connection, after {@link #mayCome} returned true. */
        void take(PeerSocket link);

        /** Called after {@link #mayCome} returned true, if there was no connection. */
        void noneCame();
    }

    /**
     * Connects to the listener behind {@code path} without waiting.
     *
     * @param ifDead runs if the name exists, but no process listens there
     * @return null if there is no listener
     * @throws FabricException if there may be a listener, but it cannot be reached now
     */
    PeerSocket connect(Path path, Runnable ifDead) throws FabricException {
        if (!Files.exists(path)) {
            return null; // much the commonest case
        }
        int fd = UnixFd.open();
        if (fd < 0) {
            throw new FabricException(Cause.RESOURCES, "no socket: " + Linux.text(fd));
        }
        PeerSocket link = null;
        int r;
        try {
            String scarce = ShmFabric.scarce(fd);
            if (scarce != null) {
                throw new FabricException(Cause.RESOURCES, scarce + "; the rest is left to TCP");
            }
            r = UnixFd.connect(fd, path.toString());
            link = r < 0 ? null : new PeerSocket(fd, loop);
        } finally {
            if (link == null) {
                Linux.close(fd);
            }
        }
        if (link != null) {
            return link;
        }
        if (r == -Linux.EAGAIN) {
            throw new FabricException(Cause.BUSY, "the backlog of " + path + " is full");
        }
        if (r == -Linux.ECONNREFUSED) {
            ifDead.run();
        }
        return null;
    }

    /** Listens at {@code path}. */
    Listening listen(Path path, Taker taker) throws IOException {
        int fd = UnixFd.listen(path.toString(), BACKLOG);
        if (fd < 0) {
            throw new IOException("cannot listen at " + path + ": " + Linux.text(fd));
        }
        long watch = -1;
        try {
            Listening l = new Listening(fd, taker);
            watch = loop.watch(fd, events -> l.takeAll());
            if (watch < 0) {
                throw new IOException("epoll: " + Linux.text(watch));
            }
            l.watch = watch;
            return l;
        } finally {
            if (watch < 0) {
                Linux.close(fd);
            }
        }
    }

    /** A listening socket, the result of {@link #listen}. */
    final class Listening {
        private final int fd;
        private final Taker taker;
        private long watch;
        private boolean closed;

        /** {@link #retry} is scheduled. Event thread only. */
        private boolean retryDue;

        /** {@link #goOn} is scheduled. Event thread only. */
        private boolean goesOn;

        private Listening(int fd, Taker taker) {
            this.fd = fd;
            this.taker = taker;
        }

        private void takeAll() {
            if (isClosed()) {
                return;
            }
            for (int n = 0; n < BATCH; n++) {
                if (StrangeFd.behind()) {
                    retryLater();
                    return;
                }
                if (!taker.mayCome()) {
                    return;
                }
                PeerSocket link = null;
                int accepted = -Linux.EAGAIN;
                try {
                    accepted = accept();
                    link = accepted < 0 ? null : new PeerSocket(accepted, loop);
                } finally {
                    if (link == null) { // perhaps for want of memory
                        if (accepted >= 0) {
                            UnixFd.close(accepted); // what a client has sent may be slow to close
                        }
                        taker.noneCame();
                    }
                }
                if (link != null) {
                    taker.take(link);
                    continue;
                }
                if (accepted != -Linux.EAGAIN) {
                    retryLater(); // perhaps no descriptor is left
                }
                return;
            }
            if (!goesOn) { // else each event of a flood would add one
                // not as a task: timers come after all tasks, and clients may come without end
                loop.schedule((EventLoop.Repeatable) this::goOn, 0);
                goesOn = true;
            }
        }

        private void goOn() {
            goesOn = false;
            takeAll();
        }

        /**
         * Schedules another look, because the watch is edge-triggered: waiting clients cause no
         * second event.
         */
        private void retryLater() {
            if (!retryDue) {
                loop.schedule((EventLoop.Repeatable) this::retry, RETRY_NANOS);
                retryDue = true;
            }
        }

        private void retry() {
            retryDue = false;
            takeAll();
        }

        /** Asks again, on the event thread, whether connections may come. Any thread. */
        void resume() {
            loop.execute((EventLoop.Repeatable) this::takeAll);
        }

        private synchronized boolean isClosed() {
            return closed;
        }

        private synchronized int accept() {
            return closed ? -Linux.EAGAIN : UnixFd.accept(fd);
        }

        /** Any thread. */
        void close() {
            synchronized (this) {
                if (closed) {
                    return;
                }
                closed = true;
                loop.forget(watch);
            }
            UnixFd.closeListener(fd);
        }
    }
}
