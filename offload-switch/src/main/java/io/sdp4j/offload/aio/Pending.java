package io.sdp4j.offload.aio;

import java.io.IOException;
import java.nio.channels.Channel;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/**
 * The {@link Future} of an operation that is still under way.
 *
 * <p>Every failure is reported as an {@link IOException}, as by the JDK's own channels. It is no
 * {@link java.util.concurrent.CompletionStage}, whose dependents would run on the event thread.
 * Thread-safe.
 */
final class Pending<V> extends FutureTask<V> {
    /** Owner of a pending operation, which can give it up. */
    interface Owner {
        /**
         * Forgets the operation, and forbids further ones of its kind.
         *
         * @return false if it is being completed at this moment
         */
        boolean giveUp(Pending<?> operation);
    }

    private final Owner owner;
    private final Channel channel;

    /**
     * @param channel closed by a forced cancel
     */
    Pending(Owner owner, Channel channel) {
        super(() -> null);
        this.owner = owner;
        this.channel = channel;
    }

    /** Returns a completed future. */
    static <V> Future<V> done(V value, Throwable failure) {
        Pending<V> done = new Pending<>(null, null);
        done.finish(value, failure);
        return done;
    }

    /** Does nothing: the operation runs elsewhere. */
    @Override
    public void run() {}

    void finish(V value, Throwable failure) {
        if (failure == null) {
            set(value);
        } else {
            setException(asIo(failure));
        }
    }

    private static IOException asIo(Throwable failure) {
        return failure instanceof IOException e ? e : new IOException(failure);
    }

    /**
     * Cancels; with {@code mayInterruptIfRunning} the channel is closed before waiting threads are
     * released.
     */
    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (isDone() || !owner.giveUp(this)) {
            return false;
        }
        if (mayInterruptIfRunning) {
            AsyncAcceptor.closeQuietly(channel);
        }
        return super.cancel(mayInterruptIfRunning);
    }
}
