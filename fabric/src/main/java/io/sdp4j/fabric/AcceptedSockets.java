package io.sdp4j.fabric;

import java.net.InetSocketAddress;
import java.util.function.IntConsumer;

/** The TCP connections that a listener has accepted and that may move onto a queue pair. */
@FunctionalInterface
public interface AcceptedSockets {
    /** There are none. */
    AcceptedSockets NONE = (_, _, _) -> {};

    /**
     * Calls {@code use} with the descriptor of the connection from {@code remote} to {@code local},
     * if there is one. The descriptor stays open during the call only. Any thread; must not block.
     */
    void with(InetSocketAddress local, InetSocketAddress remote, IntConsumer use);
}
