package io.sdp4j.resolve;

import java.net.InetAddress;

/**
 * The way packets to one address take.
 *
 * @param type {@code RTN_...}
 * @param interfaceIndex they leave by; 0 = by none
 * @param source address they come from, or null
 * @param gateway they go to first, or null
 */
record Route(int type, int interfaceIndex, InetAddress source, InetAddress gateway) {
    private static final int UNICAST = 1;
    private static final int LOCAL = 2;

    boolean isUnicast() {
        return type == UNICAST;
    }

    /** Whether the destination is this host's own. */
    boolean isLocal() {
        return type == LOCAL;
    }
}
