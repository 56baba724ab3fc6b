package io.sdp4j.resolve;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.Consumer;

/**
 * Access to the kernel: netlink sockets, which carry datagrams without interpreting them. This
 * module makes no native call, so the caller passes an implementation in; tests pass one that plays
 * a recording.
 *
 * <p>Thread-safe. Every datagram that a socket or a subscription delivers came from the kernel, not
 * from another process, and is a private copy.
 */
public interface Netlink {
    /** Protocol of interfaces, addresses and routes. */
    int ROUTE = 0;

    /** Protocol of devices that are added and removed. */
    int UEVENT = 15;

    /** Opens a socket for questions. */
    Socket open(int protocol) throws IOException;

    /**
     * Listens to the kernel's announcements until the result is closed.
     *
     * @param groups bit mask of multicast groups
     * @param onDatagram called on one thread for each datagram; must be quick. An empty array says
     *     that announcements may have been lost
     * @throws IOException if that is not possible; nothing is left behind
     */
    Closeable subscribe(int protocol, int groups, Consumer<byte[]> onDatagram) throws IOException;

    /** One socket; not thread-safe. */
    interface Socket extends Closeable {
        /** Sends one datagram to the kernel, which has answered when this returns. */
        void send(byte[] datagram) throws IOException;

        /**
         * Takes the next datagram. Never waits.
         *
         * @return null if there is none
         * @throws IOException also if a datagram was too long to be taken whole
         */
        byte[] receive() throws IOException;

        @Override
        void close();
    }
}
