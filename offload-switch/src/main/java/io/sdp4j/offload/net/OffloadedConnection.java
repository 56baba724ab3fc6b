package io.sdp4j.offload.net;

import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.spi.ConnectionInfo;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Blocking reads and writes, time-outs, half-close and asynchronous close on top of one {@link
 * OffloadStream}: what the JDK's own socket implementation does on top of a descriptor.
 *
 * <p>Shape: {@code readLock} admits one reader, {@code writeLock} one writer, {@code stateLock}
 * guards state and every other call of the stream; nobody waits while holding it. Order: a data
 * lock, then {@code stateLock}; the reverse only by {@code tryLock}.
 *
 * <p>Close: the closer sets {@code closing} and wakes the stream; the stream is given back under
 * all three locks, by the closer if both data locks are free, else by the operation that leaves
 * last (NET-11). So whoever holds a data lock and has seen {@code closing} false may use the
 * stream.
 */
public final class OffloadedConnection {
    /** Pause between two looks at {@link OffloadStream#drained}, at first and at most. */
    private static final long LINGER_FIRST_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

    private static final long LINGER_MAX_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final OffloadStream stream;
    private final Lease.Handle lease;
    private final ReentrantLock readLock = new ReentrantLock();
    private final ReentrantLock writeLock = new ReentrantLock();
    private final Object stateLock = new Object();

    private volatile boolean closing; // set under stateLock
    private volatile boolean inputShut; // set under stateLock
    private volatile boolean outputShut; // set under stateLock
    private boolean abortive; // stateLock
    private boolean lingering; // stateLock: the closer still needs the stream
    private boolean released; // stateLock
    private ConnectionInfo last; // stateLock: what the stream said before it was given back

    private volatile int timeoutMillis;
    private boolean eof; // readLock
    private boolean reset; // readLock

    public OffloadedConnection(OffloadStream stream, SwitchCounters counters, int timeoutMillis) {
        this.stream = stream;
        this.timeoutMillis = timeoutMillis;
        this.lease = Lease.take(stream, counters, this);
    }

    /**
     * @param socket what the stream's {@code close} closes
     */
    public InputStream inputStream(Closeable socket) {
        return new SwitchInputStream(this, socket);
    }

    /**
     * @param socket what the stream's {@code close} closes
     */
    public OutputStream outputStream(Closeable socket) {
        return new SwitchOutputStream(this, socket);
    }

    /** Takes effect at the next read. */
    public void timeoutMillis(int millis) {
        timeoutMillis = millis;
    }

    int read(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return 0;
        }
        int timeout = timeoutMillis;
        long waitNanos = TimeUnit.MILLISECONDS.toNanos(timeout);
        if (timeout == 0) {
            readLock.lock();
        } else if (!readLock.tryLock()) {
            waitNanos = lockWithin(readLock, waitNanos);
        }
        try {
            if (eof) {
                return -1; // even when closed (NET-13)
            }
            int n = inputReady() ? stream.tryRead(b, off, len) : -1;
            if (n == 0) {
                n = readSlowly(b, off, len, timeout > 0 ? waitNanos : Long.MAX_VALUE);
            }
            if (n < 0) {
                eof = true;
            }
            return n;
        } catch (SocketException e) {
            throw remembered(e);
        } finally {
            readLock.unlock();
            if (closing) {
                releaseIfIdle();
            }
        }
    }

    /** Whether there is something to ask the stream; false = the input was shut down. */
    private boolean inputReady() throws SocketException {
        if (closing) {
            throw new SocketException("Socket closed");
        }
        if (reset) {
            throw new SocketException("Connection reset");
        }
        return !inputShut;
    }

    /** The clock starts here, so that a read that finds data never asks for the time. */
    private int readSlowly(byte[] b, int off, int len, long waitNanos) throws IOException {
        Thread self = Thread.currentThread();
        boolean timed = waitNanos != Long.MAX_VALUE;
        long deadlineNanos = timed ? System.nanoTime() + waitNanos : 0;
        long leftNanos = waitNanos;
        int n;
        do {
            stream.await(OffloadStream.READ, leftNanos);
            if (self.isVirtual() && self.isInterrupted()) {
                throw new InterruptedIOException(); // NET-12
            }
            n = inputReady() ? stream.tryRead(b, off, len) : -1;
            if (n == 0 && timed) {
                leftNanos = deadlineNanos - System.nanoTime();
                if (leftNanos <= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
            }
        } while (n == 0);
        return n;
    }

    /** A reset stays one (NET-13); what a closer interrupted is a closed socket. */
    private SocketException remembered(SocketException e) {
        if (!closing && "Connection reset".equals(e.getMessage())) {
            reset = true;
        }
        return e;
    }

    void write(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return;
        }
        writeLock.lock();
        try {
            checkOutput();
            int n = stream.tryWrite(b, off, len);
            if (n < len) {
                writeSlowly(b, off + n, len - n);
            }
        } finally {
            writeLock.unlock();
            if (closing) {
                releaseIfIdle();
            }
        }
    }

    private void checkOutput() throws SocketException {
        if (closing) {
            throw new SocketException("Socket closed");
        }
        if (outputShut) {
            throw new SocketException("Broken pipe");
        }
    }

    private void writeSlowly(byte[] b, int off, int len) throws IOException {
        Thread self = Thread.currentThread();
        int at = off;
        int end = off + len;
        boolean stuck = false;
        while (at < end) {
            if (stuck) {
                stream.await(OffloadStream.WRITE, Long.MAX_VALUE);
                if (self.isVirtual() && self.isInterrupted()) {
                    throw new InterruptedIOException(); // NET-12
                }
            }
            checkOutput();
            int n = stream.tryWrite(b, at, end - at);
            stuck = n == 0;
            at += n;
        }
    }

    public void sendUrgent(int value) throws IOException {
        writeLock.lock();
        try {
            checkOutput();
            if (!stream.tryWriteUrgent(value)) {
                throw new SocketException("No buffer space available");
            }
        } finally {
            writeLock.unlock();
            if (closing) {
                releaseIfIdle();
            }
        }
    }

    public int available() throws IOException {
        synchronized (stateLock) {
            if (closing) {
                throw new SocketException("Socket closed");
            }
            return inputShut ? 0 : stream.available();
        }
    }

    public void oobInline(boolean inline) {
        synchronized (stateLock) {
            if (!closing) {
                stream.oobInline(inline);
            }
        }
    }

    public void shutdownInput() throws SocketException {
        synchronized (stateLock) {
            if (closing) {
                throw new SocketException("Socket closed");
            }
            if (!inputShut) {
                inputShut = true;
                stream.shutdownInput();
                stream.wake();
            }
        }
    }

    public void shutdownOutput() throws SocketException {
        synchronized (stateLock) {
            if (closing) {
                throw new SocketException("Socket closed");
            }
            if (!outputShut) {
                outputShut = true;
                stream.shutdownOutput();
                stream.wake();
            }
        }
    }

    public ConnectionInfo info() {
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
    public void close(int lingerSeconds) {
        synchronized (stateLock) {
            if (closing) {
                return;
            }
            closing = true;
            abortive = lingerSeconds == 0;
            if (!abortive) {
                outputShut = true;
                stream.shutdownOutput();
            }
            lingering = lingerSeconds > 0;
            stream.wake();
        }
        if (lingerSeconds > 0) {
            linger(TimeUnit.SECONDS.toNanos(lingerSeconds));
        }
        releaseIfIdle();
    }

    /** Waits, without the state lock, until the peer has everything or the time is up. */
    private void linger(long nanos) {
        long endNanos = System.nanoTime() + nanos;
        long pauseNanos = LINGER_FIRST_NANOS;
        boolean interrupted = false;
        boolean waiting = true;
        while (waiting) {
            long leftNanos = endNanos - System.nanoTime();
            synchronized (stateLock) {
                waiting = !stream.drained() && leftNanos > 0;
                if (!waiting) {
                    lingering = false;
                }
            }
            if (waiting) {
                LockSupport.parkNanos(this, Math.min(pauseNanos, leftNanos));
                interrupted |= Thread.interrupted(); // else the next park returns at once
                pauseNanos = Math.min(pauseNanos * 2, LINGER_MAX_NANOS);
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives the stream back if nobody uses it; else the operation that leaves last does. */
    private void releaseIfIdle() {
        synchronized (stateLock) {
            if (released || lingering || !readLock.tryLock()) {
                return;
            }
            try {
                if (writeLock.tryLock()) {
                    try {
                        released = true;
                        last = stream.info();
                        lease.giveBack(abortive);
                    } finally {
                        writeLock.unlock();
                    }
                }
            } finally {
                readLock.unlock();
            }
        }
    }

    /**
     * As the JDK: a lock that does not come in time is a read that timed out.
     *
     * @return what is left of the time, more than 0
     */
    private static long lockWithin(ReentrantLock lock, long waitNanos)
            throws SocketTimeoutException {
        long deadlineNanos = System.nanoTime() + waitNanos;
        long leftNanos = waitNanos;
        boolean interrupted = false;
        boolean locked = false;
        while (!locked && leftNanos > 0) {
            try {
                locked = lock.tryLock(leftNanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            leftNanos = deadlineNanos - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (locked && leftNanos <= 0) {
            lock.unlock();
        }
        if (leftNanos <= 0) {
            throw new SocketTimeoutException("Read timed out");
        }
        return leftNanos;
    }
}
