package io.sdp4j.offload.net;

import io.sdp4j.offload.StreamHandle;
import io.sdp4j.offload.SwitchCounters;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Blocking reads and writes with time-outs on top of one {@link OffloadStream}, with the behaviour
 * of the JDK's own socket implementation.
 */
final class OffloadedConnection extends StreamHandle implements Duplex {
    private volatile int timeoutMillis;
    private boolean eof; // readLock
    private boolean reset; // readLock

    /**
     * Whether urgent data fails instead of waiting when there is no room. So it does on a JDK
     * socket whose descriptor is non-blocking, which it is after the first call with a time-out or
     * on a virtual thread.
     */
    private volatile boolean nonBlocking;

    OffloadedConnection(
            OffloadStream stream,
            SwitchCounters counters,
            int timeoutMillis,
            boolean timedConnect,
            ReentrantLock readLock,
            ReentrantLock writeLock) {
        super(stream, counters, readLock, writeLock);
        this.timeoutMillis = timeoutMillis;
        noteUse(timedConnect);
    }

    private void noteUse(boolean timed) {
        if (!nonBlocking && (timed || Thread.currentThread().isVirtual())) {
            nonBlocking = true;
        }
    }

    @Override
    public void timeoutMillis(int millis) {
        timeoutMillis = millis;
    }

    /** As {@link java.io.InputStream#read(byte[], int, int)} of the JDK's sockets. */
    @Override
    public int read(byte[] b, int off, int len) throws IOException {
        return read(b, off, len, timeoutMillis);
    }

    /**
     * As {@link #read(byte[], int, int)}, with the time-out of this call: the socket's may change
     * while a read waits.
     *
     * <p>Long on purpose: a method of more than 325 bytes is compiled once, and not into each of
     * its callers (docs/decisions/0020-a-wait-is-compiled-once.md).
     */
    int read(byte[] b, int off, int len, int timeout) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        if (len == 0) {
            return 0;
        }
        long waitNanos = TimeUnit.MILLISECONDS.toNanos(timeout);
        if (timeout == 0) {
            readLock.lock();
        } else if (!readLock.tryLock()) {
            waitNanos = lockWithin(readLock, waitNanos);
        }
        try {
            if (eof) {
                return -1; // even when closed (behaviour 14)
            }
            noteUse(timeout > 0);
            long deadlineNanos = 0;
            boolean waited = false;
            while (true) {
                if (closing) {
                    throw new SocketException("Socket closed");
                }
                if (reset) {
                    throw new SocketException("Connection reset");
                }
                int n = inputShut ? -1 : stream.tryRead(b, off, len);
                if (n != 0) {
                    eof = n < 0;
                    return n;
                }
                if (timeout > 0) {
                    long now = System.nanoTime(); // a read that finds data never asks for the time
                    deadlineNanos = waited ? deadlineNanos : now + waitNanos;
                    waitNanos = deadlineNanos - now;
                    if (waitNanos <= 0) {
                        throw new SocketTimeoutException("Read timed out");
                    }
                }
                stream.await(OffloadStream.READ, timeout > 0 ? waitNanos : Long.MAX_VALUE);
                waited = true;
                Thread self = Thread.currentThread();
                if (self.isVirtual() && self.isInterrupted()) {
                    throw new InterruptedIOException(); // behaviour 21
                }
            }
        } catch (SocketException e) {
            throw remembered(e);
        } finally {
            readLock.unlock();
            leave();
        }
    }

    /**
     * Remembers a reset, which later reads report again (behaviour 17), unless the socket is being
     * closed.
     */
    private SocketException remembered(SocketException e) {
        if (!closing && "Connection reset".equals(e.getMessage())) {
            reset = true;
        }
        return e;
    }

    @Override
    public void write(byte[] b, int off, int len) throws IOException {
        Objects.checkFromIndexSize(off, len, b.length);
        noteUse(false);
        if (len == 0) {
            return;
        }
        writeLock.lock();
        try {
            if (closing || outputShut) {
                checkOutput();
            }
            int n = stream.tryWrite(b, off, len);
            if (n < len) {
                writeSlowly(b, off + n, len - n);
            }
        } catch (SocketException e) {
            throw closing ? new SocketException("Socket closed") : e; // the closer shut it down
        } finally {
            writeLock.unlock();
            leave();
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
                    throw new InterruptedIOException(); // behaviour 21
                }
            }
            checkOutput();
            int n = stream.tryWrite(b, at, end - at);
            stuck = n == 0;
            at += n;
        }
    }

    /**
     * Sends an urgent byte. A broken stream is reported by an {@link IOException} that is no {@link
     * SocketException}, as in the JDK.
     */
    @Override
    public void sendUrgent(int value) throws IOException {
        noteUse(false);
        writeLock.lock();
        try {
            boolean waits = !nonBlocking;
            while (!tryUrgent(value)) {
                if (!waits) {
                    throw new SocketException("No buffer space available");
                }
                stream.await(OffloadStream.WRITE, Long.MAX_VALUE);
            }
        } finally {
            writeLock.unlock();
            leave();
        }
    }

    private boolean tryUrgent(int value) throws IOException {
        try {
            checkOutput();
            return stream.tryWriteUrgent(value);
        } catch (SocketException e) {
            throw closing ? e : new IOException(e.getMessage(), e);
        }
    }

    @Override
    public int available() throws IOException {
        int bytes = availableBytes();
        if (bytes < 0) {
            throw new SocketException("Socket closed");
        }
        return bytes;
    }

    @Override
    public void shutdownInput() throws SocketException {
        if (!shutInput()) {
            throw new SocketException("Socket closed");
        }
    }

    @Override
    public void shutdownOutput() throws SocketException {
        if (!shutOutput()) {
            throw new SocketException("Socket closed");
        }
    }

    /**
     * Takes a lock; if it does not come in time, throws the time-out of a read, as the JDK does.
     *
     * @return the time that is left, in nanoseconds, more than 0
     */
    static long lockWithin(ReentrantLock lock, long waitNanos) throws SocketTimeoutException {
        long leftNanos = tryLockWithin(lock, waitNanos);
        if (leftNanos <= 0) {
            throw new SocketTimeoutException("Read timed out");
        }
        return leftNanos;
    }

    /**
     * Takes a lock if it comes in time; an interrupt does not end the wait.
     *
     * @return the time that is left, in nanoseconds; if it is 0 or less, the lock was not taken
     */
    static long tryLockWithin(ReentrantLock lock, long waitNanos) {
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
        return leftNanos;
    }
}
