package io.sdp4j.rdma;

import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * What the active side asks for.
 *
 * @param remote the address the application wants, resolved
 * @param localAddress called at most once, when a listener has been found, for the address that the
 *     peer shall see; it may have to bind a port, so a fabric that finds nobody must not call it
 * @param privateData carried to the passive side; at most {@link
 *     Capabilities#maxRequestPrivateDataBytes()}
 * @param spec this side's queue pair
 * @param deadlineNanos {@link System#nanoTime()} value after which the attempt has failed
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
public record ConnectRequest(
        InetSocketAddress remote,
        LocalAddress localAddress,
        byte[] privateData,
        QpSpec spec,
        long deadlineNanos) {

    /** Finds, if need be binds, the local address of a connection. */
    @FunctionalInterface
    public interface LocalAddress {
        InetSocketAddress find() throws IOException;
    }
}
