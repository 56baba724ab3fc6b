package io.sdp4j.offload.spi;

import java.net.InetSocketAddress;
import java.util.List;

/**
 * A request for a listener, made to a provider.
 *
 * @param address address of the kernel listener, with its real port; may be a wildcard
 * @param dualStack whether a listener on {@code ::} also takes IPv4
 * @param backlog most streams that wait to be accepted, at least 1; a further one is refused so
 *     that the client uses TCP
 * @param fabrics fabrics to listen on; empty = all
 * @param onPending called on a thread of the provider whenever a stream became ready to be polled;
 *     must not block
 * @param accepted the TCP connections that the kernel listener has accepted and that may move
 */
public record ListenSpec(
        InetSocketAddress address,
        boolean dualStack,
        int backlog,
        List<String> fabrics,
        Runnable onPending,
        AcceptedConnections accepted) {
    /** A listener none of whose TCP connections moves. */
    public ListenSpec(
            InetSocketAddress address,
            boolean dualStack,
            int backlog,
            List<String> fabrics,
            Runnable onPending) {
        this(address, dualStack, backlog, fabrics, onPending, new AcceptedConnections() {});
    }
}
