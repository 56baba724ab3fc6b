package io.sdp4j.offload.spi;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * What a connection asks of a provider.
 *
 * @param remote resolved, never a wildcard
 * @param localAddress called at most once, when a peer has been found; binds the kernel socket that
 *     holds the port
 * @param fabrics preferred fabrics in order; empty = the provider's own order
 * @param deadlineNanos {@link System#nanoTime()} value at which the attempt must have ended
 */
public record ConnectSpec(
        InetSocketAddress remote,
        LocalAddress localAddress,
        List<String> fabrics,
        long deadlineNanos) {

    /** Finds, if need be binds, the local address of a connection. */
    @FunctionalInterface
    public interface LocalAddress {
        InetSocketAddress find() throws IOException;
    }
}
