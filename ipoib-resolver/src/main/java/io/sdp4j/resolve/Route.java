package io.sdp4j.resolve;

import java.net.InetAddress;

/**
 * The route that packets to one address take.
 *
 * @param type {@code RTN_...}
 * @param interfaceIndex index of the interface that packets leave by; 0 = none
 * @param source source address of the packets, or null
 * @param gateway first hop of the packets, or null
 */
record Route(int type, int interfaceIndex, InetAddress source, InetAddress gateway) {
    private static final int UNICAST = 1;
    private static final int LOCAL = 2;

    boolean isUnicast() {
        return type == UNICAST;
    }

    /** Whether the destination is this host. */
    boolean isLocal() {
        return type == LOCAL;
    }
}
