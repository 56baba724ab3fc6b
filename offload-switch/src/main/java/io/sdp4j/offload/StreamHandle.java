package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * One offloaded stream in the hands of a socket or a channel: half-close, lingering and
 * asynchronous close, which are the same for all of them.
 *
 * <p>Shape: {@code readLock} admits one reader, {@code writeLock} one writer; {@code stateLock}
 * guards state and every other call of the stream but a move; no thread waits while holding it.
 * Order: a data lock, then {@code stateLock}; the reverse only by {@code tryLock}.
 *
 * <p>Close: the closer sets {@code closing} and wakes the stream; the stream is given back under
 * all three locks, by the closer if both data locks are free and it is not being moved, else by the
 * operation that leaves last (behaviour 10). So a thread that holds a data lock and has seen {@link
 * #closing} false may use the stream; after giving the lock back it must call {@link #leave}.
 */
public class StreamHandle {
    /** Pause between two looks at {@link OffloadStream#drained}, at first and at most. */
    private static final long LINGER_FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final long LINGER_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** For the holder of a data lock that has seen {@link #closing} false. */
    protected final OffloadStream stream;

    protected final ReentrantLock readLock;
    protected final ReentrantLock writeLock;
    private final StreamCleaner lease;
    private final Object stateLock = new Object();

    // Set under stateLock; fields for those who ask with each read and write.
    protected volatile boolean closing;
    protected volatile boolean inputShut;
    protected volatile boolean outputShut;
    private boolean abortive; // stateLock
    private boolean lingering; // stateLock: the closer still needs the stream
    private boolean moving; // stateLock: a thread is in the stream's move, which listens somewhere
    private boolean released; // stateLock
    private ConnectionInfo last; // stateLock: what the stream said before it was given back

    /**
     * Takes the stream, which is given back by {@link #close}, at the latest when this object has
     * become garbage.
     */
    @SuppressWarnings("this-escape") // only as the key of a cleaner
    public StreamHandle(
            OffloadStream stream,
            SwitchCounters counters,
            ReentrantLock readLock,
            ReentrantLock writeLock) {
        this.stream = stream;
        this.readLock = readLock;
        this.writeLock = writeLock;
        this.lease = StreamCleaner.take(stream, counters, this);
    }

    public final boolean closing() {
        return closing;
    }

    public final boolean inputShut() {
        return inputShut;
    }

    public final boolean outputShut() {
        return outputShut;
    }

    /** Bytes that can be read without waiting; -1 if the stream is closed. */
    public final int availableBytes() throws IOException {
        synchronized (stateLock) {
            return closing ? -1 : inputShut ? 0 : stream.available();
        }
    }

    /**
     * Reads what is there, while no reader has begun. How the stream has ended is left for the
     * application to be told.
     *
     * @return how many bytes, 0 = nothing now, -1 = nothing any more
     */
    final int readAhead(byte[] b, int off, int len) {
        synchronized (stateLock) {
            try {
                if (closing) {
                    return -1;
                }
                boolean ready = (stream.ready() & OffloadStream.READ) != 0;
                int there = stream.available(); // after the look: what is ready stays there
                if (there > 0) {
                    return stream.tryRead(b, off, Math.min(len, there));
                }
                return ready ? -1 : 0;
            } catch (IOException e) {
                return -1;
            }
        }
    }

    /**
     * By the holder of the read lock: whether the peer's process has ended with input unread, and
     * all that came from it was read.
     */
    final boolean leftUnread() {
        synchronized (stateLock) {
            try {
                if (!closing && stream.peerVanished() && stream.available() == 0) {
                    int _ = stream.tryRead(new byte[1], 0, 1);
                }
                return false;
            } catch (IOException e) {
                return "Connection reset".equals(e.getMessage());
            }
        }
    }

    /** By the holder of the write lock, as the first that is written: whether all of it was. */
    final boolean begin(byte[] b) {
        synchronized (stateLock) {
            return !closing && stream.tryBegin(b);
        }
    }

    public final void oobInline(boolean inline) {
        synchronized (stateLock) {
            if (!closing) {
                stream.oobInline(inline);
            }
        }
    }

    /** See {@link OffloadStream#peerVanished}. */
    public final boolean peerVanished() {
        return stream.peerVanished();
    }

    /** See {@link OffloadStream#readerBehind}. */
    final void readerBehind(boolean behind) {
        synchronized (stateLock) {
            if (!closing) {
                stream.readerBehind(behind);
            }
        }
    }

    public final void keepAlive(boolean on) {
        synchronized (stateLock) {
            if (!closing) {
                stream.keepAlive(on);
            }
        }
    }

    /** See {@link OffloadStream#notifyFd}; -1 when the stream is closed. */
    public final int notifyFd() {
        synchronized (stateLock) {
            return closing ? -1 : stream.notifyFd();
        }
    }

    /** See {@link OffloadStream#requestNotify}; everything is ready when the stream is closed. */
    public final int requestNotify(int ops) {
        synchronized (stateLock) {
            return closing ? ops : stream.requestNotify(ops);
        }
    }

    /** See {@link OffloadStream#holdNotify}; -1 when the stream is closed. */
    public final int holdNotify(int ops) {
        synchronized (stateLock) {
            return closing ? -1 : stream.holdNotify(ops);
        }
    }

    /** See {@link OffloadStream#busyPoll}; not at all while another thread reads. */
    public final void busyPoll(int ops, BooleanSupplier elsewhere) {
        if (!readLock.tryLock()) {
            return;
        }
        try {
            if (!closing) {
                stream.busyPoll(ops, elsewhere);
            }
        } finally {
            readLock.unlock();
            leave();
        }
    }

    /** See {@link OffloadStream#busyLook}; null when the stream is closed. */
    public final OffloadStream.BusyLook busyLook() {
        synchronized (stateLock) {
            return closing ? null : stream.busyLook();
        }
    }

    /** See {@link OffloadStream#arm}; false when the stream is closed. */
    public final boolean arm(int ops, Runnable onReady) {
        synchronized (stateLock) {
            return !closing && stream.arm(ops, onReady);
        }
    }

    /** See {@link OffloadStream#ready}; everything is ready when the stream is closed. */
    public final int ready() {
        synchronized (stateLock) {
            return closing ? OffloadStream.READ | OffloadStream.WRITE : stream.ready();
        }
    }

    /** See {@link OffloadStream#room}; no limit when the stream is closed. */
    public final int room() {
        synchronized (stateLock) {
            return closing ? Integer.MAX_VALUE : stream.room();
        }
    }

    /** See {@link OffloadStream#migrate}; false when the stream is closed, or in another's move. */
    public final boolean migrate() throws IOException {
        synchronized (stateLock) {
            if (closing || moving) {
                return false;
            }
            moving = true;
        }
        try {
            return stream.migrate();
        } finally {
            synchronized (stateLock) {
                moving = false;
            }
            leave();
        }
    }

    /** Idempotent; false if the stream is closed. */
    public final boolean shutInput() {
        synchronized (stateLock) {
            if (!closing && !inputShut) {
                inputShut = true;
                stream.shutdownInput();
                stream.wake();
            }
            return !closing;
        }
    }

    /** Idempotent; false if the stream is closed. */
    public final boolean shutOutput() {
        synchronized (stateLock) {
            if (!closing && !outputShut) {
                outputShut = true;
                stream.shutdownOutput();
                stream.wake();
            }
            return !closing;
        }
    }

    public final ConnectionInfo info() {
        synchronized (stateLock) {
            return released ? last : stream.info();
        }
    }

    /**
     * Closes; idempotent. Blocks only to linger.
     *
     * @param lingerSeconds less than 0: what was written still arrives; 0: the peer sees a reset;
     *     more: waits that long for it to arrive
     */
    public final void close(int lingerSeconds) {
        try {
            if (beginClose(lingerSeconds) && lingerSeconds > 0) {
                linger(TimeUnit.SECONDS.toNanos(lingerSeconds));
            }
        } finally {
            releaseIfIdle(); // again where an earlier close has thrown
        }
    }

    /** False if it has begun before. */
    private boolean beginClose(int lingerSeconds) {
        synchronized (stateLock) {
            if (closing) {
                return false;
            }
            closing = true;
            abortive = lingerSeconds == 0;
            if (!abortive) {
                stream.shutdownOutput();
            }
            lingering = lingerSeconds > 0;
            stream.wake();
        }
        return true;
    }

    /** Waits, without the state lock, until the peer has everything or the time is up. */
    private void linger(long nanos) {
        long endNanos = System.nanoTime() + nanos;
        long pauseNanos = LINGER_FIRST_NANOS;
        boolean interrupted = false;
        boolean waiting = true;
        try {
            while (waiting) {
                long leftNanos = endNanos - System.nanoTime();
                synchronized (stateLock) {
                    waiting = !stream.drained() && leftNanos > 0;
                }
                if (waiting) {
                    LockSupport.parkNanos(this, Math.min(pauseNanos, leftNanos));
                    interrupted |= Thread.interrupted(); // else the next park returns at once
                    pauseNanos = Math.min(pauseNanos * 2, LINGER_MAX_NANOS);
                }
            }
        } finally {
            synchronized (stateLock) {
                lingering = false;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** To be called after a data lock was given back. */
    public final void leave() {
        if (closing) {
            releaseIfIdle();
        }
    }

    /** Gives the stream back if it is not in use; else the operation that leaves last does. */
    private void releaseIfIdle() {
        synchronized (stateLock) {
            if (released || lingering || moving || !readLock.tryLock()) {
                return;
            }
            try {
                if (writeLock.tryLock()) {
                    try {
                        last = stream.info();
                        lease.giveBack(abortive);
                        released = true;
                    } finally {
                        writeLock.unlock();
                    }
                }
            } finally {
                readLock.unlock();
            }
        }
    }
}
