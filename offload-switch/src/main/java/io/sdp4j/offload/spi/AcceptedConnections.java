package io.sdp4j.offload.spi;

import java.net.InetSocketAddress;
import java.util.function.IntConsumer;

/**
 * The TCP connections that a listener has accepted and that may move onto a stream. Called by
 * providers on threads of their own; no method blocks.
 */
public interface AcceptedConnections {
    /** There are none. */
    AcceptedConnections NONE =
            new AcceptedConnections() {
                @Override
                public void with(
                        InetSocketAddress local, InetSocketAddress remote, IntConsumer use) {
                    // none is known
                }

                @Override
                public boolean begin(InetSocketAddress local, InetSocketAddress remote) {
                    return false;
                }

                @Override
                public void moved(OffloadStream stream) {
                    stream.close(true);
                }

                @Override
                public void failed(InetSocketAddress local, InetSocketAddress remote) {
                    // nothing was begun
                }
            };

    /**
     * Calls {@code use} with the descriptor of the connection from {@code remote} to {@code local},
     * if there is one that may move. The descriptor stays open during the call only.
     */
    void with(InetSocketAddress local, InetSocketAddress remote, IntConsumer use);

    /**
     * Whether the connection can be given a stream. If so {@link #moved} or {@link #failed}
     * follows, and until then an end of the TCP connection is not believed to be the end of its
     * data.
     */
    boolean begin(InetSocketAddress local, InetSocketAddress remote);

    /** The connection between the stream's two addresses has a stream, and the receiver owns it. */
    void moved(OffloadStream stream);

    /** The connection stays where it is. */
    void failed(InetSocketAddress local, InetSocketAddress remote);
}
