package io.sdp4j.offload.spi;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What a connection asks of a provider.
 *
 * @param remote resolved, never a wildcard
 * @param localAddress called at most once, when a peer has been found; binds the kernel socket that
 *     holds the port
 * @param fabrics preferred fabrics in order; empty = the provider's own order
 * @param deadlineNanos {@link System#nanoTime()} value at which the attempt must have ended
 * @param abandoned whether nobody wants the connection any more, because the socket was closed or
 *     its thread interrupted; a provider that waits asks again and again, on any thread, and ends
 *     the attempt within some milliseconds; quick, never throws
 */
public record ConnectSpec(
        InetSocketAddress remote,
        LocalAddress localAddress,
        List<String> fabrics,
        long deadlineNanos,
        BooleanSupplier abandoned) {

    /** An attempt that only its deadline ends. */
    public ConnectSpec(
            InetSocketAddress remote,
            LocalAddress localAddress,
            List<String> fabrics,
            long deadlineNanos) {
        this(remote, localAddress, fabrics, deadlineNanos, () -> false);
    }

    /** Finds, if need be binds, the local address of a connection. */
    @FunctionalInterface
    public interface LocalAddress {
        InetSocketAddress find() throws IOException;
    }
}
