package io.sdp4j.offload.nio;

import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.jdk.EpollWaiter;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import sun.nio.ch.SelChImpl;

/**
 * The two queues of one listening channel, the kernel's and the offload listeners', and a
 * descriptor that is readable while either has something.
 *
 * <p>Guarded by the channel's accept lock, except for what says otherwise.
 */
final class AcceptQueues implements Runnable {
    private final ServerSocketChannel kernel;
    private final EpollWaiter waiter;
    private OffloadListeners listening; // set once, before use
    private boolean kernelsTurn;

    AcceptQueues(ServerSocketChannel kernel) throws IOException {
        this.kernel = kernel;
        this.waiter = new EpollWaiter(((SelChImpl) kernel).getFD());
    }

    void start(OffloadListeners from) {
        listening = from;
    }

    OffloadListeners listening() {
        return listening;
    }

    /** Called by providers when a stream waits; any thread. */
    @Override
    public void run() {
        waiter.signal();
    }

    /** Which queue to look at: they take turns when both have something (behaviour 29). */
    boolean kernelsTurn() {
        kernelsTurn = !kernelsTurn;
        return kernelsTurn;
    }

    /** A connection that came by TCP and may stay, or null. */
    SocketChannel fromKernel() throws IOException {
        SocketChannel accepted = kernel.accept();
        if (accepted != null && listening.only()) {
            accepted.setOption(StandardSocketOptions.SO_LINGER, 0);
            accepted.close(); // a reset is the nearest to "refused" that is left
            return null;
        }
        return accepted;
    }

    /** Forgets signals; look at what they stand for after this. */
    void consume() throws IOException {
        waiter.consume();
    }

    /** Keeps the descriptor readable while streams wait. */
    void signalIfPending() {
        if (listening.pending()) {
            waiter.signal();
        }
    }

    /** Whether there is something to accept; any thread. */
    boolean anything() {
        try {
            if (listening.pending() || waiter.kernelReady()) {
                return true;
            }
            waiter.consume();
            signalIfPending(); // one may have come between the look and the forgetting
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void await(long nanos) throws IOException {
        waiter.await(nanos);
    }

    FileDescriptor descriptor() {
        return waiter.descriptor();
    }

    int value() {
        return waiter.value();
    }

    /** Stops listening and wakes threads that accept; any thread. */
    void close() {
        if (listening != null) {
            listening.close();
        }
        waiter.signal();
    }

    /** Gives the descriptors back. */
    void release() throws IOException {
        waiter.close();
    }
}
