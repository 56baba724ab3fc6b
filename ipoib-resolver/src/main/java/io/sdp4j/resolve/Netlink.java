package io.sdp4j.resolve;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * The edge to the kernel: netlink sockets as datagrams, nothing of their contents. This module
 * makes no native call; the caller hands an implementation in, tests one that plays a recording.
 *
 * <p>Thread-safe. Everything that a socket or a subscription hands out came from the kernel, not
 * from another process, and is a private copy.
 */
public interface Netlink {
    /** Protocol of interfaces, addresses and routes. */
    int ROUTE = 0;

    /** Protocol of devices that come and go. */
    int UEVENT = 15;

    /** Opens a socket for questions. */
    Socket open(int protocol) throws IOException;

    /**
     * Listens to what the kernel announces, until the result is closed.
     *
     * @param groups bit mask of multicast groups
     * @param onDatagram called on one thread for each datagram; must be quick. An empty array says
     *     that announcements may have been lost
     * @throws IOException if that cannot be, with nothing left behind
     */
    Closeable subscribe(int protocol, int groups, Consumer<byte[]> onDatagram) throws IOException;

    /** One socket; not thread-safe. */
    interface Socket extends Closeable {
        /** Sends one datagram to the kernel, which answers before this returns. */
        void send(byte[] datagram) throws IOException;

        /**
         * Takes the next datagram; never waits.
         *
         * @return null if there is none
         * @throws IOException also if a datagram was too long to be taken whole
         */
        byte[] receive() throws IOException;

        @Override
        void close();
    }
}
