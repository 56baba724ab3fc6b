package io.sdp4j.offload.aio;

import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.ConnectThreads;
import io.sdp4j.offload.OffloadListeners;
import io.sdp4j.offload.spi.OffloadStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.AcceptPendingException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.Channel;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.Future;

/**
 * One asynchronous accept for two queues: the kernel's and the offload listeners' (behaviour 29).
 *
 * <p>Shape: {@code waiting} is the application's accept, at most one; an accept of the kernel's
 * channel is under way at the same time. The kernel's accept cannot be taken back: if it brings a
 * connection after an offloaded one satisfied the application's accept, the connection is {@code
 * kept} for the next accept. When both queues have something, they are served in turn (behaviour
 * 29). Every accept begins one of the kernel's, unless one is under way or a connection is kept,
 * because the kernel's queue cannot be polled. {@code this} guards the fields; no handler is called
 * and no channel touched while it is held.
 */
final class AsyncAcceptor
        implements CompletionHandler<AsynchronousSocketChannel, Void>, Pending.Owner {
    /** An accept of the application; {@code future} is null if there is a handler. */
    private record Operation(
            CompletionHandler<AsynchronousSocketChannel, Object> handler,
            Object attachment,
            Pending<AsynchronousSocketChannel> future) {}

    /** A connection from one of the queues; the other component is null. */
    private record Taken(OffloadStream stream, AsynchronousSocketChannel accepted) {}

    private final SwitchChannelGroup group;
    private final AsynchronousServerSocketChannel kernel;
    private final SwitchAsynchronousServerSocketChannel listener;

    private OffloadListeners listening; // set once
    private Operation waiting;
    private boolean kernelAccepts;
    private AsynchronousSocketChannel kept;
    private boolean kernelTurn;
    private boolean killed; // an accept was cancelled
    private boolean closed;

    AsyncAcceptor(
            SwitchChannelGroup group,
            AsynchronousServerSocketChannel kernel,
            SwitchAsynchronousServerSocketChannel listener) {
        this.group = group;
        this.kernel = kernel;
        this.listener = listener;
    }

    synchronized void start(OffloadListeners from) {
        listening = from;
    }

    /** Why a connection that the kernel accepts now is on TCP. */
    synchronized Attempt why() {
        return listening.why();
    }

    /**
     * Begins an accept. The listener is bound.
     *
     * @param handler null = the outcome goes to the future that is returned
     */
    @SuppressWarnings("ReferenceEquality") // this very accept
    Future<AsynchronousSocketChannel> accept(
            Object attachment, CompletionHandler<AsynchronousSocketChannel, Object> handler) {
        Operation fresh =
                new Operation(
                        handler,
                        attachment,
                        handler == null ? new Pending<>(this, listener) : null);
        Taken taken;
        boolean begin;
        boolean late;
        synchronized (this) {
            if (killed) {
                throw new RuntimeException("Accept not allowed due cancellation"); // as the JDK
            }
            if (waiting != null) {
                throw new AcceptPendingException();
            }
            taken = take();
            late = taken == null && closed;
            if (taken == null && !closed) {
                waiting = fresh;
            }
            begin = !kernelAccepts && kept == null && !closed;
            kernelAccepts |= begin;
        }
        if (begin) { // before a handler is called, which may take long
            try {
                kernel.accept(null, this);
            } catch (RuntimeException e) { // an accept from before the acceptor existed is pending
                Operation refused = takeBack();
                if (refused == fresh) {
                    throw e;
                }
                if (refused != null) { // a later accept, which relied on this one of the kernel's
                    deliver(refused, null, e, false);
                }
            }
        }
        if (taken != null) {
            complete(fresh, taken, false);
        } else if (late) {
            deliver(fresh, null, new AsynchronousCloseException(), false);
        }
        return fresh.future();
    }

    /**
     * Notes that the kernel's channel has refused to accept. Returns the accept that waits, or
     * null.
     */
    private synchronized Operation takeBack() {
        kernelAccepts = false;
        Operation refused = waiting;
        waiting = null;
        return refused;
    }

    private Taken take() {
        Taken taken = null;
        for (int queue = 0; queue < 2 && taken == null; queue++) {
            if (kernelTurn) {
                taken = kept == null ? null : new Taken(null, kept);
                kept = null;
            } else {
                OffloadStream stream = listening.poll();
                taken = stream == null ? null : new Taken(stream, null);
            }
            kernelTurn = !kernelTurn;
        }
        return taken;
    }

    /** Called by providers when a stream waits. */
    void onPending() {
        Operation operation;
        OffloadStream stream;
        synchronized (this) {
            if (waiting == null || closed) {
                return;
            }
            stream = listening.poll();
            if (stream == null) {
                return;
            }
            operation = waiting;
            waiting = null;
            group.hold(); // the listener may leave the group now, but the handler needs a thread
        }
        Taken taken = new Taken(stream, null);
        if (operation.future() != null) {
            completeHeld(operation, taken);
        } else {
            // the application's executor may block: not on this thread, which is the provider's
            ConnectThreads.startApart(() -> completeHeld(operation, taken));
        }
    }

    private void completeHeld(Operation operation, Taken taken) {
        try {
            complete(operation, taken, false);
        } finally {
            group.release();
        }
    }

    /** Called when the kernel's accept has brought a connection. */
    @Override
    public void completed(AsynchronousSocketChannel accepted, Void none) {
        Operation operation = null;
        boolean refuse;
        boolean again = false;
        synchronized (this) {
            refuse = closed || listening.only();
            again = refuse && waiting != null && !closed;
            kernelAccepts = again;
            if (!refuse && waiting == null) {
                kept = accepted;
            } else if (!refuse) {
                operation = waiting;
                waiting = null;
            }
        }
        if (refuse) {
            if (listening.only()) {
                listening.refused(remote(accepted));
            }
            closeQuietly(accepted);
        }
        if (again) {
            kernel.accept(null, this);
        }
        if (operation != null) {
            complete(operation, new Taken(null, accepted), true);
        }
    }

    @Override
    public void failed(Throwable failure, Void none) {
        Operation operation;
        synchronized (this) {
            kernelAccepts = false;
            operation = waiting;
            waiting = null;
        }
        if (operation != null) {
            deliver(operation, null, failure, true);
        }
    }

    private void complete(Operation operation, Taken taken, boolean onGroupThread) {
        AsynchronousSocketChannel child = null;
        Throwable failure = null;
        try {
            child =
                    taken.stream() != null
                            ? listener.of(taken.stream())
                            : listener.of(taken.accepted());
        } catch (IOException | RuntimeException | Error e) { // otherwise the operation never ends
            failure = e;
        }
        deliver(operation, child, failure, onGroupThread);
    }

    private void deliver(
            Operation operation,
            AsynchronousSocketChannel child,
            Throwable failure,
            boolean onGroupThread) {
        if (operation.future() != null) {
            operation.future().finish(child, failure);
        } else if (onGroupThread) {
            SwitchChannelGroup.call(operation.handler(), operation.attachment(), child, failure);
        } else {
            group.invokeIndirectly(operation.handler(), operation.attachment(), child, failure);
        }
    }

    @Override
    public synchronized boolean giveUp(Pending<?> operation) {
        if (waiting == null || waiting.future() != operation) {
            return false;
        }
        waiting = null;
        killed = true;
        return true;
    }

    /** Closes both listeners, then fails the waiting accept: by then the address is free. */
    void close() throws IOException {
        Operation operation;
        AsynchronousSocketChannel unwanted;
        synchronized (this) {
            closed = true;
            operation = waiting;
            waiting = null;
            unwanted = kept;
            kept = null;
        }
        try {
            listening.close();
            if (unwanted != null) {
                closeQuietly(unwanted);
            }
        } finally {
            try {
                kernel.close();
            } finally {
                if (operation != null) {
                    deliver(operation, null, new AsynchronousCloseException(), false);
                }
            }
        }
    }

    private static SocketAddress remote(AsynchronousSocketChannel accepted) {
        try {
            return accepted.getRemoteAddress();
        } catch (IOException e) {
            return null; // the connection has ended
        }
    }

    /** Closes a channel when there is no caller to whom a failure could be reported. */
    static void closeQuietly(Channel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            // as in the JDK: the channel is closed all the same
        }
    }
}
