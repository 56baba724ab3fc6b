package io.sdp4j.offload.spi;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A request for a connection, made to a provider.
 *
 * @param remote resolved, never a wildcard
 * @param localAddress finds the local address; called at most once, when a peer has been found;
 *     binds the kernel socket that holds the port
 * @param fabrics preferred fabrics in order; empty = the provider's own order
 * @param askedNanos {@link System#nanoTime()} value when the attempt began; spares the provider a
 *     read of the clock, which is a system call on some machines
 * @param deadlineNanos {@link System#nanoTime()} value at which the attempt must have ended
 * @param limitNanos latest {@link System#nanoTime()} value to which the deadline may be put off, by
 *     the time that a provider takes for its own start; not before the deadline
 * @param deadlineByRule whether a rule sets the deadline; then no provider gives up before it
 * @param abandoned whether the connection is not wanted any more, because the socket was closed or
 *     its thread interrupted. A provider that waits polls this, on any thread, and ends the attempt
 *     within some milliseconds. Quick, never throws
 * @param asked called when the peer is about to be asked. Its argument tells whether the peer may
 *     have accepted already although this side does not know it yet; the argument is quick and may
 *     be called on any thread, also later
 * @param socket a descriptor of the TCP socket that is connected from the local address to {@code
 *     remote}, if its connection is to move onto the stream; -1 = the stream is a connection of its
 *     own. The descriptor may be closed, and its number reused, at any time. A provider calls
 *     {@code asked} before it passes the socket on to another process
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

    /** An attempt that begins now, with a fixed deadline and no {@code asked}. */
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
     * The same attempt, continued at {@code nowNanos} after a provider took {@code startNanos} to
     * start: the deadline is put off by this time, but not beyond the limit.
     */
    public ConnectSpec later(long startNanos, long nowNanos) {
        long more = Math.min(startNanos, limitNanos - deadlineNanos);
        return with(localAddress, nowNanos, deadlineNanos + more, limitNanos, abandoned);
    }

    /**
     * The same attempt, made anew at {@code nowNanos}.
     *
     * @param timeNanos from then to the deadline
     * @param mostNanos from then to the limit
     */
    public ConnectSpec again(long nowNanos, long timeNanos, long mostNanos) {
        return with(localAddress, nowNanos, nowNanos + timeNanos, nowNanos + mostNanos, abandoned);
    }

    /** The same attempt, made by an intermediary with callbacks of its own. */
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

    /** Finds the local address of a connection, and binds it if need be. */
    @FunctionalInterface
    public interface LocalAddress {
        /**
         * Returns the address, with the port.
         *
         * @param source the address by which the provider's path leaves this host; null if the
         *     provider does not know it, which costs a look at the routes
         */
        InetSocketAddress find(InetAddress source) throws IOException;

        /** The address that the application bound the connection to; null = the route decides. */
        default InetAddress bound() {
            return null;
        }

        /**
         * Returns {@code finder}, with the address that the application bound to. For null or a
         * wildcard there is no such address.
         */
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
