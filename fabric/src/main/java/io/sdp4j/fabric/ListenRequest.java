package io.sdp4j.fabric;

import java.net.InetSocketAddress;

/**
 * Parameters of a listener.
 *
 * @param address the address and port that the kernel listener is bound to; a wildcard covers every
 *     address of its family, and {@code ::} also IPv4 if {@code dualStack}
 * @param dualStack whether the kernel listener on {@code ::} also takes IPv4
 * @param handler called on the fabric's event thread
 * @param accepted what the kernel listener has accepted, for clients whose connection is to move
 */
public record ListenRequest(
        InetSocketAddress address,
        boolean dualStack,
        RequestHandler handler,
        AcceptedSockets accepted) {
    /** A listener that moves no connection. */
    public ListenRequest(InetSocketAddress address, boolean dualStack, RequestHandler handler) {
        this(address, dualStack, handler, AcceptedSockets.NONE);
    }
}
