package io.sdp4j.offload.spi;

import java.net.InetSocketAddress;
import java.util.function.IntConsumer;

/**
 * The TCP connections that a listener has accepted and that may move onto a stream. Called by
 * providers on threads of their own; no method blocks. By default there are none.
 */
public interface AcceptedConnections {
    /**
     * Calls {@code use} with the descriptor of the connection from {@code remote} to {@code local},
     * if there is one that may move. The descriptor stays open during the call only.
     */
    default void with(InetSocketAddress local, InetSocketAddress remote, IntConsumer use) {}

    /**
     * Whether the connection can be given a stream. If so {@link #moved} or {@link #failed}
     * follows, and until then an end of the TCP connection is not believed to be the end of its
     * data.
     */
    default boolean begin(InetSocketAddress local, InetSocketAddress remote) {
        return false;
    }

    /** The connection between the stream's two addresses has a stream, and the receiver owns it. */
    default void moved(OffloadStream stream) {
        stream.close(true);
    }

    /** The connection stays where it is. */
    default void failed(InetSocketAddress local, InetSocketAddress remote) {}
}
