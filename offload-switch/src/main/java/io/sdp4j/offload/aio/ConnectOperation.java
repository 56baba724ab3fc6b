package io.sdp4j.offload.aio;

import io.sdp4j.offload.Attempt;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.policy.Decision;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.ExecutionException;

/**
 * One connect that asks providers first, on a thread of its own: a provider may block, and neither
 * the application nor a thread of its group may wait for it.
 *
 * <p>It is completed once: by that thread, a closer or a cancel. {@code this} guards the fields.
 */
final class ConnectOperation implements Runnable, Pending.Owner {
    private final AsyncConnection channel;
    private final OffloadSwitch owner;
    private final Decision decision;
    private final InetSocketAddress target;
    private final InetSocketAddress reachable;
    final Pending<Void> future; // null if there is a handler
    private CompletionHandler<Void, Object> handler; // null if there is none, or it was called
    private Object attachment;
    private boolean over;
    private boolean cancelled;

    /**
     * @param target as the application gave it
     * @param reachable the same address, with loopback in place of a wildcard
     * @param handler null = the outcome goes to {@link #future}
     */
    ConnectOperation(
            AsyncConnection channel,
            OffloadSwitch owner,
            Decision decision,
            InetSocketAddress target,
            InetSocketAddress reachable,
            CompletionHandler<Void, Object> handler,
            Object attachment) {
        this.channel = channel;
        this.owner = owner;
        this.decision = decision;
        this.target = target;
        this.reachable = reachable;
        this.handler = handler;
        this.attachment = attachment;
        this.future = handler == null ? new Pending<>(this, channel) : null;
    }

    @Override
    public void run() {
        Throwable failure = null;
        try {
            Attempt attempt =
                    owner.connect(
                            decision,
                            reachable,
                            channel.localAddressTowards(reachable),
                            System.nanoTime(),
                            Long.MAX_VALUE,
                            () -> !channel.isOpen(),
                            _ -> {});
            if (attempt.stream() != null) {
                channel.adopt(attempt.stream(), target);
            } else {
                Void _ = channel.fallBack(attempt).connect(target).get();
                channel.noteEstablished();
            }
        } catch (ExecutionException e) {
            failure = e.getCause();
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            failure = e;
        }
        boolean mine = claim();
        if (failure == null) {
            channel.connected();
        } else {
            channel.closeAfter(failure);
        }
        if (mine) {
            deliver(failure);
        }
    }

    /**
     * Returns whether the caller is the one that has to {@link #deliver}. Until then the operation
     * holds the group: the channel may leave the group meanwhile, and the handler needs one of its
     * threads.
     */
    synchronized boolean claim() {
        boolean first = !over;
        over = true;
        if (first) {
            channel.group.hold();
        }
        return first;
    }

    void deliver(Throwable failure) {
        try {
            tell(failure);
        } finally {
            channel.group.release();
        }
    }

    /** Delivers and forgets the handler, which a long-lived channel must not keep reachable. */
    private void tell(Throwable failure) {
        if (future != null) {
            future.finish(null, failure);
            return;
        }
        CompletionHandler<Void, Object> told;
        Object with;
        synchronized (this) {
            told = handler;
            with = attachment;
            handler = null;
            attachment = null;
        }
        channel.group.invokeIndirectly(told, with, null, failure);
    }

    /**
     * Whether the application cancelled the connect: the connection may still come up, but is
     * unusable.
     */
    synchronized boolean cancelled() {
        return cancelled;
    }

    @Override
    public synchronized boolean giveUp(Pending<?> operation) {
        cancelled |= !over;
        over = true;
        return cancelled;
    }
}
