package io.sdp4j.offload.aio;

import io.sdp4j.offload.jdk.GroupPort;
import io.sdp4j.offload.jdk.KernelAsync;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketOption;
import java.nio.channels.AsynchronousChannelGroup;
import java.nio.channels.AsynchronousServerSocketChannel;
import java.nio.channels.AsynchronousSocketChannel;
import java.nio.channels.CompletionHandler;
import java.nio.channels.ShutdownChannelGroupException;
import java.nio.channels.spi.AsynchronousChannelProvider;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * A channel group: {@code inner}, the JDK's own group, which has the threads, the timer and every
 * kernel channel, and beside it {@code members}, the channels that are or may become offloaded,
 * which the JDK's group cannot see (behaviours 91 and 93).
 *
 * <p>Termination is that of the inner group, which is shut down together with this group, so that
 * it takes no connection any more. An unused channel, {@code keeper}, stays in the inner group
 * until the last member is gone, whose handlers need the threads; then the inner group waits for
 * its kernel channels by itself. {@code this} guards the fields.
 */
final class SwitchChannelGroup extends AsynchronousChannelGroup implements Executor {
    private static final long GONE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final KernelAsync kernel;
    final AsynchronousChannelGroup inner; // the JDK's own, for kernel channels

    /** Open channels and listeners, except those that have become the kernel's alone. */
    private final Set<Closeable> members = new HashSet<>();

    private int held; // operations that are about to hand over their handlers
    private boolean shutdown;
    private boolean closing; // shutdownNow
    private AsynchronousSocketChannel keeper; // never used; null = not needed, or it failed to open

    SwitchChannelGroup(
            AsynchronousChannelProvider provider,
            KernelAsync kernel,
            AsynchronousChannelGroup inner) {
        super(provider);
        this.kernel = kernel;
        this.inner = inner;
    }

    // Both methods check first: the JDK leaks a descriptor when its own group refuses a channel.

    synchronized AsynchronousSocketChannel openKernel() throws IOException {
        checkOpen();
        return kernel.open(inner);
    }

    synchronized AsynchronousServerSocketChannel openKernelServer() throws IOException {
        checkOpen();
        return kernel.openServer(inner);
    }

    /** Opens a channel in the JDK's default group, which never shuts down. */
    AsynchronousSocketChannel openKernelOutside() throws IOException {
        return kernel.open(null);
    }

    /** The options that every channel of the JDK supports. */
    Set<SocketOption<?>> socketOptions() {
        try (AsynchronousSocketChannel any = openKernelOutside()) {
            return any.supportedOptions();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Refuses new channels once the group was shut down. */
    synchronized void checkOpen() {
        if (shutdown) {
            throw new ShutdownChannelGroupException();
        }
    }

    /** Takes a new channel; false if the group does not want it any more. */
    synchronized boolean add(Closeable member) {
        if (shutdown) {
            return false;
        }
        members.add(member);
        return true;
    }

    /**
     * Removes a member that was closed and has handed over its last handler, or that has become the
     * kernel's alone, so that the inner group looks after it.
     */
    void remove(Closeable member) {
        synchronized (this) {
            members.remove(member);
        }
        endIfLast();
    }

    /**
     * Keeps the group's threads until {@link #release}, for an operation whose channel may leave
     * meanwhile.
     */
    synchronized void hold() {
        held++;
    }

    void release() {
        synchronized (this) {
            held--;
        }
        endIfLast();
    }

    private synchronized boolean noMemberLeft() {
        return members.isEmpty() && held == 0;
    }

    private void endIfLast() {
        boolean last;
        boolean now;
        AsynchronousSocketChannel kept;
        synchronized (this) {
            last = shutdown && noMemberLeft();
            now = closing;
            kept = keeper;
            notifyAll();
        }
        if (last && now) {
            try {
                inner.shutdownNow();
            } catch (IOException e) {
                // as in the JDK: the channels are closed all the same
            }
        } else if (last) {
            inner.shutdown();
            if (kept != null) {
                AsyncAcceptor.closeQuietly(kept);
            }
        }
    }

    @Override
    public synchronized boolean isShutdown() {
        return shutdown;
    }

    @Override
    public boolean isTerminated() {
        return inner.isTerminated();
    }

    @Override
    public void shutdown() {
        AsynchronousSocketChannel kept;
        synchronized (this) {
            if (!shutdown && !noMemberLeft()) {
                keeper = newKeeper();
            }
            shutdown = true;
            kept = keeper;
        }
        if (kept != null) {
            inner.shutdown();
        }
        endIfLast();
    }

    /**
     * Opens the keeper, or returns null. Without a keeper the inner group is shut down only when
     * the last member is gone.
     */
    private AsynchronousSocketChannel newKeeper() {
        try {
            return kernel.open(inner);
        } catch (IOException e) {
            return null; // no descriptor is left, for connections either
        }
    }

    @Override
    public void shutdownNow() throws IOException {
        List<Closeable> all;
        synchronized (this) {
            shutdown = true;
            closing = true;
            all = List.copyOf(members);
        }
        for (Closeable member : all) {
            try {
                member.close();
            } catch (IOException e) {
                // as in the JDK: the others are closed all the same
            }
        }
        if (allGone()) { // else the last member ends the inner group
            inner.shutdownNow();
        }
    }

    /**
     * Waits, for a second at most, for threads that still use a member or hand over its handlers.
     */
    private synchronized boolean allGone() {
        long endNanos = System.nanoTime() + GONE_NANOS;
        boolean interrupted = false;
        for (long left = GONE_NANOS; left > 0 && !noMemberLeft(); ) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left = endNanos - System.nanoTime();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return noMemberLeft();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return inner.awaitTermination(timeout, unit);
    }

    // --- handlers and timers ---

    /** Runs a task that calls one handler, on a thread of the group. */
    @Override
    public void execute(Runnable task) {
        kernel.execute(inner, task);
    }

    /** Must be called first by a task of {@link #execute}. */
    void taskBegins() {
        kernel.taskBegins();
    }

    /** See {@link KernelAsync#triesAtOnce}. */
    boolean triesAtOnce() {
        return kernel.triesAtOnce(inner);
    }

    /** See {@link KernelAsync#watch}. */
    GroupPort watch(int descriptor, KernelAsync.Watcher watcher) {
        return kernel.watch(inner, descriptor, watcher);
    }

    Future<?> schedule(Runnable task, long timeout, TimeUnit unit) {
        return kernel.schedule(inner, task, timeout, unit);
    }

    /**
     * Delivers an outcome that is known before the initiating call returns: to a handler, on this
     * thread if the JDK would call it here (behaviour 94), or as a completed future.
     */
    <V, A> Future<V> deliver(
            CompletionHandler<V, ? super A> handler, A attachment, V value, Throwable failure) {
        if (handler == null) {
            return Pending.done(value, failure);
        }
        if (!kernel.invokeDirect(inner, handler, attachment, value, failure)) {
            invokeIndirectly(handler, attachment, value, failure);
        }
        return null;
    }

    /** Calls a handler later, on a thread of the group. */
    <V, A> void invokeIndirectly(
            CompletionHandler<V, ? super A> handler, A attachment, V value, Throwable failure) {
        try {
            execute(
                    () -> {
                        taskBegins();
                        call(handler, attachment, value, failure);
                    });
        } catch (RejectedExecutionException e) {
            throw (RuntimeException) new ShutdownChannelGroupException().initCause(e);
        }
    }

    /** Calls a handler on this thread, which is one of the group. */
    static <V, A> void call(
            CompletionHandler<V, ? super A> handler, A attachment, V value, Throwable failure) {
        if (failure == null) {
            handler.completed(value, attachment);
        } else {
            handler.failed(failure, attachment);
        }
        boolean _ = Thread.interrupted(); // an interrupt ends with its handler
    }
}
