package io.sdp4j;

import io.sdp4j.offload.spi.ListenSpec;
import io.sdp4j.offload.spi.OffloadListener;
import io.sdp4j.offload.spi.OffloadProvider;
import io.sdp4j.offload.spi.OffloadStream;
import io.sdp4j.offload.spi.OffloadUnavailable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Waits for SDP connections of one listener, and turns away whoever comes in by TCP.
 *
 * <p>{@code lock} guards {@code closed}; {@code pending} is signalled when a stream waits or the
 * listener is closed.
 */
final class AcceptQueue {
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition pending = lock.newCondition();
    private OffloadListener listener; // set once, before use
    private boolean closed;

    private AcceptQueue() {}

    static AcceptQueue listen(OffloadProvider provider, PortHolder holder, int backlog)
            throws IOException {
        AcceptQueue queue = new AcceptQueue();
        InetSocketAddress address =
                new InetSocketAddress(holder.localAddress(), holder.localPort());
        boolean dualStack =
                address.getAddress() instanceof Inet6Address
                        && address.getAddress().isAnyLocalAddress();
        try {
            queue.listener =
                    provider.listen(
                            new ListenSpec(
                                    address, dualStack, backlog, List.of(), queue::onPending));
        } catch (OffloadUnavailable e) {
            throw new SocketException("Cannot listen for SDP: " + e.getMessage(), e);
        }
        ServerSocket kernel = holder.kernelListener();
        Thread.ofVirtual().name("sdp4j-turn-away").start(() -> turnAway(kernel));
        return queue;
    }

    /**
     * Resets TCP callers until the kernel listener is closed: they would wait for ever otherwise.
     */
    private static void turnAway(ServerSocket kernel) {
        while (!kernel.isClosed()) {
            try (Socket caller = kernel.accept()) {
                caller.setSoLinger(true, 0);
            } catch (IOException e) {
                if (!kernel.isClosed()) {
                    // Out of descriptors, or the caller was gone: the next one may be luckier.
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            }
        }
    }

    private void onPending() {
        lock.lock();
        try {
            pending.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * @param timeoutMillis 0 = no limit
     */
    OffloadStream accept(int timeoutMillis) throws IOException {
        long nanos =
                timeoutMillis == 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
        boolean interrupted = false;
        lock.lock();
        try {
            while (true) {
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                OffloadStream stream = listener.poll();
                if (stream != null) {
                    return stream;
                }
                if (nanos <= 0) {
                    throw new SocketTimeoutException("Accept timed out");
                }
                try {
                    nanos = pending.awaitNanos(nanos);
                } catch (InterruptedException e) {
                    interrupted = true;
                    if (Thread.currentThread().isVirtual()) {
                        throw (IOException) new InterruptedIOException().initCause(e);
                    }
                }
            }
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    void close() {
        lock.lock();
        try {
            closed = true;
            pending.signalAll();
        } finally {
            lock.unlock();
        }
        listener.close();
    }
}
