package io.sdp4j.offload.net;

import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.jdk.KernelSocket;
import io.sdp4j.offload.jdk.ListenWaiter;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.net.SocketOptions;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One {@code accept} for two queues: the kernel's and the offload listeners' (behaviour 29).
 *
 * <p>Shape: {@code acceptLock} admits one thread at a time. That thread takes from the two queues
 * in turn when both have something (behaviour 29) and waits for either in {@link ListenWaiter}. It
 * calls the kernel's {@code accept} only when the listener polled readable, and with the shortest
 * time-out, because another process may have taken the connection.
 *
 * <p>Close: the closer closes both listeners, sets {@code closed} and signals; descriptors are
 * given back under {@code acceptLock}, by the closer if no thread accepts, else by the last thread
 * that leaves.
 */
final class Acceptor implements Runnable {
    private static final int SHORTEST_MILLIS = 1;

    private final KernelSocket kernel;
    private final ListenWaiter waiter;
    private final ReentrantLock acceptLock = new ReentrantLock();
    private OffloadListeners listening; // set once, before use
    private boolean kernelTurn; // acceptLock
    private volatile boolean closed;

    Acceptor(KernelSocket kernel) throws IOException {
        this.kernel = kernel;
        this.waiter = kernel.waiter();
    }

    /** Called by providers when a stream waits. */
    @Override
    public void run() {
        waiter.signal();
    }

    /** Begins to take from {@code listening} as well. */
    void start(OffloadListeners from) throws IOException {
        listening = from;
        kernel.setOption(SocketOptions.SO_TIMEOUT, SHORTEST_MILLIS);
    }

    OffloadListeners listening() {
        return listening;
    }

    /**
     * Waits for a connection and hands it over.
     *
     * @param timeoutMillis 0 = no limit
     */
    void accept(int timeoutMillis, SwitchServerImpl listener, SwitchClientImpl target)
            throws IOException {
        long deadlineNanos = 0;
        if (timeoutMillis > 0) {
            long waitNanos = TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
            deadlineNanos = System.nanoTime() + waitNanos;
            if (!acceptLock.tryLock()
                    && OffloadedConnection.tryLockWithin(acceptLock, waitNanos) <= 0) {
                throw new SocketTimeoutException("Accept timed out");
            }
        } else {
            acceptLock.lock();
        }
        OffloadStream stream = null;
        KernelSocket accepted = null;
        try {
            while (stream == null && accepted == null) {
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                waiter.consume(); // before looking, so that no signal is lost
                if (closed) {
                    throw new SocketException("Socket closed");
                }
                for (int queue = 0; queue < 2 && stream == null && accepted == null; queue++) {
                    if (kernelTurn) {
                        accepted = tryKernel();
                    } else {
                        stream = listening.poll();
                    }
                    kernelTurn = !kernelTurn;
                }
                if (stream == null && accepted == null) {
                    await(timeoutMillis > 0, deadlineNanos);
                }
            }
        } finally {
            acceptLock.unlock();
            if (closed) {
                releaseIfIdle();
            }
        }
        if (stream != null) {
            listener.take(target, stream);
        } else {
            listener.take(target, accepted);
        }
    }

    private KernelSocket tryKernel() throws IOException {
        if (!waiter.kernelReady()) {
            return null;
        }
        KernelSocket accepted;
        try {
            accepted = kernel.accept();
        } catch (SocketTimeoutException e) {
            return null; // another process has accepted it
        }
        if (!listening.only()) {
            return accepted;
        }
        listening.refused(accepted.remoteAddress());
        accepted.setOption(SocketOptions.SO_LINGER, 0);
        accepted.close(); // with a reset: the nearest to "refused" now
        return null;
    }

    private void await(boolean timed, long deadlineNanos) throws IOException {
        long nanos = 0;
        if (timed) {
            nanos = deadlineNanos - System.nanoTime();
            if (nanos <= 0) {
                throw new SocketTimeoutException("Accept timed out");
            }
        }
        waiter.await(nanos);
        Thread self = Thread.currentThread();
        if (self.isVirtual() && self.isInterrupted()) {
            throw new InterruptedIOException(); // behaviour 21
        }
    }

    /**
     * Closes everything, the kernel's listener included, once {@code holder} is garbage. The JDK's
     * own listener would close itself then, but the providers refer to this acceptor.
     */
    void closeWhenForgotten(SwitchServerImpl holder) {
        OffloadListeners.whenForgotten(holder, new Forgotten(this));
    }

    private record Forgotten(Acceptor acceptor) implements Runnable {
        @Override
        public void run() {
            if (acceptor.closed) {
                return;
            }
            try {
                acceptor.closeBoth();
            } catch (IOException e) {
                // as in the JDK: no thread waits for an answer
            }
        }
    }

    /** Closes both listeners, then wakes the thread that accepts: by then the address is free. */
    void closeBoth() throws IOException {
        try {
            listening.close();
        } finally {
            try {
                kernel.close();
            } finally {
                stop();
            }
        }
    }

    /** Stops the acceptor; the kernel's listener goes on. Idempotent. */
    void close() {
        try {
            if (listening != null) {
                listening.close();
            }
        } finally {
            stop();
        }
    }

    private void stop() {
        closed = true;
        waiter.signal();
        releaseIfIdle();
    }

    private void releaseIfIdle() {
        if (acceptLock.tryLock()) {
            try {
                waiter.close();
            } catch (IOException e) {
                throw new IllegalStateException("an epoll descriptor cannot be closed", e);
            } finally {
                acceptLock.unlock();
            }
        }
    }
}
