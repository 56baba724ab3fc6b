package io.sdp4j.offload.spi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Request of a connection to a provider.
 *
 * @param remote resolved, never a wildcard
 * @param localAddress called at most once, when a peer has been found; binds the kernel socket that
 *     holds the port
 * @param fabrics preferred fabrics in order; empty = the provider's own order
 * @param askedNanos {@link System#nanoTime()} value when the attempt began, so that the provider
 *     need not read the clock for it again: that costs a system call in some machines
 * @param deadlineNanos likewise, at which the attempt must have ended
 * @param limitNanos likewise, not before it: until then a provider may take for its own start what
 *     the deadline did not reckon with
 * @param deadlineByRule whether a rule names the time, so that no provider is to be less patient
 * @param abandoned whether the connection is not wanted any more, because the socket was closed or
 *     its thread interrupted; a provider that waits asks again and again, on any thread, and ends
 *     the attempt within some milliseconds; quick, never throws
 * @param asked called when the peer is about to be asked, with something that tells whether the
 *     peer may have accepted already, although this side does not know it yet; that may be called
 *     on any thread, also later, and is quick
 * @param socket a descriptor of the TCP socket that is connected from the local address to {@code
 *     remote}, if its connection is to move onto the stream; -1 = the stream is a connection of its
 *     own. It may be closed at any time, and its number stand for something else
 */
public record ConnectSpec(
        InetSocketAddress remote,
        LocalAddress localAddress,
        List<String> fabrics,
        long askedNanos,
        long deadlineNanos,
        long limitNanos,
        boolean deadlineByRule,
        BooleanSupplier abandoned,
        Consumer<BooleanSupplier> asked,
        int socket) {

    /** An attempt that begins now, whose deadline nothing moves, without a callback. */
    public ConnectSpec(
            InetSocketAddress remote,
            LocalAddress localAddress,
            List<String> fabrics,
            long deadlineNanos,
            boolean deadlineByRule,
            BooleanSupplier abandoned) {
        this(
                remote,
                localAddress,
                fabrics,
                System.nanoTime(),
                deadlineNanos,
                deadlineNanos,
                deadlineByRule,
                abandoned,
                _ -> {},
                -1);
    }

    /** The same attempt with another deadline. */
    public ConnectSpec until(long otherDeadlineNanos) {
        return with(localAddress, askedNanos, otherDeadlineNanos, limitNanos, abandoned);
    }

    /**
     * The same attempt, which goes on at {@code nowNanos} after a provider took this time to start:
     * as far as the limit allows.
     */
    public ConnectSpec later(long startNanos, long nowNanos) {
        long more = Math.min(startNanos, limitNanos - deadlineNanos);
        return with(localAddress, nowNanos, deadlineNanos + more, limitNanos, abandoned);
    }

    /** The same attempt, made anew at {@code nowNanos} with so much time. */
    public ConnectSpec again(long nowNanos, long timeNanos, long mostNanos) {
        return with(localAddress, nowNanos, nowNanos + timeNanos, nowNanos + mostNanos, abandoned);
    }

    /** The same attempt, made by a caller in between. */
    public ConnectSpec onBehalf(LocalAddress otherAddress, BooleanSupplier otherAbandoned) {
        return with(otherAddress, askedNanos, deadlineNanos, limitNanos, otherAbandoned);
    }

    private ConnectSpec with(
            LocalAddress address,
            long begunNanos,
            long untilNanos,
            long mostNanos,
            BooleanSupplier unwanted) {
        return new ConnectSpec(
                remote,
                address,
                fabrics,
                begunNanos,
                untilNanos,
                mostNanos,
                deadlineByRule,
                unwanted,
                asked,
                socket);
    }

    /** Finds, if need be binds, the local address of a connection. */
    @FunctionalInterface
    public interface LocalAddress {
        /**
         * The address, with the port.
         *
         * @param source where the provider's path leaves this host; null if the provider does not
         *     know, which costs a look at the routes
         */
        InetSocketAddress find(InetAddress source) throws IOException;

        /** The address that the connection has to leave by; null = the way there decides. */
        default InetAddress bound() {
            return null;
        }

        /** {@code finder} for what was bound to an address; null or a wildcard binds to none. */
        static LocalAddress of(InetAddress bound, LocalAddress finder) {
            if (bound == null || bound.isAnyLocalAddress()) {
                return finder;
            }
            return new LocalAddress() {
                @Override
                public InetSocketAddress find(InetAddress source) throws IOException {
                    return finder.find(source);
                }

                @Override
                public InetAddress bound() {
                    return bound;
                }
            };
        }
    }
}
