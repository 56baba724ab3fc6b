package io.sdp4j.offload;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * One offloaded stream as sockets and channels use it: half-close, lingering and asynchronous
 * close, which are the same for all of them.
 *
 * <p>Shape: {@code readLock} admits one reader, {@code writeLock} one writer; {@code stateLock}
 * guards the state and every other call of the stream, except {@link #migrate} and {@link
 * #peerVanished}; no thread waits while holding it. Order: a data lock, then {@code stateLock}; the
 * reverse only by {@code tryLock}.
 *
 * <p>Close: the closer sets {@code closing} and wakes the stream; the stream is given back under
 * all three locks, by the closer if both data locks are free and no migration runs, else by the
 * operation that leaves last (behaviour 10). So a thread that holds a data lock and has seen {@link
 * #closing} false may use the stream; after it has released the lock it must call {@link #leave}.
 */
public class StreamHandle {
    /**
     * First pause between two looks at {@link OffloadStream#drained}; doubles up to the next
     * constant.
     */
    private static final long LINGER_FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final long LINGER_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** For the holder of a data lock that has seen {@link #closing} false. */
    protected final OffloadStream stream;

    protected final ReentrantLock readLock;
    protected final ReentrantLock writeLock;
    private final StreamCleaner lease;
    private final Object stateLock = new Object();

    // Set under stateLock; volatile, as each read and write looks at them without it.
    protected volatile boolean closing;
    protected volatile boolean inputShut;
    protected volatile boolean outputShut;
    private boolean abortive; // stateLock
    private boolean lingering; // stateLock: the closer still needs the stream
    private boolean moving; // stateLock: a thread is in stream.migrate()
    private boolean released; // stateLock
    private ConnectionInfo last; // stateLock: what the stream said before it was given back

    /**
     * Takes the stream. {@link #close} gives it back, or a cleaner when this object has become
     * garbage.
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
     * Reads what is there, as long as no reader has begun. Reports an end or an error as -1 only:
     * the application's read is told which it was.
     *
     * @return number of bytes, 0 = nothing now, -1 = nothing will come
     */
    final int readAhead(byte[] b, int off, int len) {
        synchronized (stateLock) {
            try {
                if (closing) {
                    return -1;
                }
                boolean ready = (stream.ready() & OffloadStream.READ) != 0;
                int there = stream.available(); // after ready(): bytes that it saw are still there
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
     * Whether the peer's process has ended with input unread, and everything that came from it was
     * read here. Called by the holder of the read lock.
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

    /**
     * Writes all of {@code b} as the first bytes of the stream, or nothing and returns false.
     * Called by the holder of the write lock.
     */
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

    /** See {@link OffloadStream#busyPoll}; does nothing while another thread reads. */
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

    /**
     * See {@link OffloadStream#migrate}; false when the stream is closed, or another thread is
     * migrating it.
     */
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
     * Closes the stream. Blocks only to linger. Idempotent.
     *
     * @param lingerSeconds less than 0: what was written still arrives; 0: the peer sees a reset;
     *     more than 0: waits at most this long for what was written to arrive
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

    /** Begins the close; false if it had begun before. */
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

    /** Must be called after each release of a data lock. */
    public final void leave() {
        if (closing) {
            releaseIfIdle();
        }
    }

    /**
     * Gives the stream back if no operation uses it; otherwise the operation that leaves last does
     * so.
     */
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
