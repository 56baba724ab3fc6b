package io.sdp4j.offload.spi;

import java.net.InetSocketAddress;
import java.util.function.IntConsumer;

/**
 * The TCP connections that a listener has accepted and that may move onto a stream. Providers call
 * this on threads of their own; no method blocks. By default there are no such connections.
 */
public interface AcceptedConnections {
    /**
     * Calls {@code use} with the descriptor of the connection from {@code remote} to {@code local},
     * if there is one that may move. The descriptor is valid only during the call.
     */
    default void with(InetSocketAddress local, InetSocketAddress remote, IntConsumer use) {}

    /**
     * Whether the connection can get a stream. If so, the provider calls {@link #moved}, {@link
     * #refused}, {@link #failed} or {@link #broken} later, and until then an end of the TCP
     * connection is not taken for the end of its data.
     */
    default boolean begin(InetSocketAddress local, InetSocketAddress remote) {
        return false;
    }

    /**
     * Hands over the stream for the connection between the stream's two addresses; this object owns
     * the stream from now on.
     */
    default void moved(OffloadStream stream) {
        stream.close(true);
    }

    /** Reports that the connection gets no stream and stays on TCP. */
    default void failed(InetSocketAddress local, InetSocketAddress remote) {}

    /**
     * Reports that memory or the like was short here before the peer got a stream: the connection
     * is on TCP, and the peer may ask again.
     */
    default void refused(InetSocketAddress local, InetSocketAddress remote) {
        failed(local, remote);
    }

    /**
     * Reports that the stream was lost after the peer had got its own, by which it may have sent:
     * the connection is reset.
     */
    default void broken(InetSocketAddress local, InetSocketAddress remote) {
        failed(local, remote);
    }
}
