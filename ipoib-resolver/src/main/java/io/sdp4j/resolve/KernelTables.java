package io.sdp4j.resolve;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Asks the kernel for its links, its addresses and its route to an address.
 *
 * <p>Shape: one socket, opened at the first question, and again after an answer that was neither
 * complete nor an errno. One question at a time under this object's lock. A question takes some
 * microseconds and never waits, because the kernel answers before the send returns. An answer may
 * have {@value #MAX_MESSAGES} messages at most. Thread-safe.
 */
final class KernelTables implements Closeable {
    static final int MAX_MESSAGES = 65_536;

    /** Number of attempts at a dump, which is repeated if a change interrupts it. */
    private static final int TRIES = 4;

    private final Netlink netlink;
    private Netlink.Socket socket;
    private int sequence;
    private boolean closed;

    KernelTables(Netlink netlink) {
        this.netlink = netlink;
    }

    @FunctionalInterface
    private interface Decoder<T> {
        T decode(ByteBuffer body) throws NetlinkException;
    }

    List<InterfaceInfo> links() throws IOException {
        return dump(RouteMessages::links, RouteMessages.NEWLINK, RouteMessages::link);
    }

    List<RouteMessages.OwnAddress> addresses() throws IOException {
        return dump(RouteMessages::addresses, RouteMessages.NEWADDR, RouteMessages::address);
    }

    /**
     * Returns the kernel's route to an address.
     *
     * @param source see {@link RouteMessages#route}
     * @throws NetlinkException with the errno if there is none
     */
    Route route(InetAddress destination, InetAddress source, int interfaceIndex)
            throws IOException {
        List<Route> found = new ArrayList<>();
        ask(
                n -> RouteMessages.route(n, destination, source, interfaceIndex),
                false,
                RouteMessages.NEWROUTE,
                body -> found.add(RouteMessages.route(body)));
        return found.getFirst();
    }

    private <T> List<T> dump(IntFunction<byte[]> request, int type, Decoder<T> decoder)
            throws IOException {
        for (int i = 0; i < TRIES; i++) {
            List<T> found = new ArrayList<>();
            boolean whole =
                    ask(
                            request,
                            true,
                            type,
                            body -> {
                                T one = decoder.decode(body);
                                return one != null && found.add(one);
                            });
            if (whole) {
                return found;
            }
        }
        throw new NetlinkException(0, "the kernel's tables change all the time");
    }

    /** Asks one question. Returns whether no change interrupted the answer. */
    private synchronized boolean ask(
            IntFunction<byte[]> request, boolean dump, int type, Decoder<Boolean> decoder)
            throws IOException {
        boolean clean = false;
        try {
            boolean whole = exchange(request, dump, type, decoder);
            clean = true;
            return whole;
        } catch (NetlinkException e) {
            clean = e.errno() != 0;
            throw e;
        } finally {
            if (!clean) {
                drop();
            }
        }
    }

    private boolean exchange(
            IntFunction<byte[]> request, boolean dump, int type, Decoder<Boolean> decoder)
            throws IOException {
        if (closed) {
            throw new IOException("closed");
        }
        if (socket == null) {
            socket = netlink.open(Netlink.ROUTE);
        }
        int number = ++sequence;
        socket.send(request.apply(number));
        boolean whole = true;
        for (int left = MAX_MESSAGES; ; ) {
            byte[] datagram = socket.receive();
            if (datagram == null) {
                throw new NetlinkException(0, "the kernel did not answer");
            }
            NetlinkReader m = NetlinkReader.messages(datagram);
            boolean any = false;
            while (m.next()) {
                any = true;
                if (left-- == 0) {
                    throw new NetlinkException(0, "an answer of too many messages");
                }
                if (m.sequence() != number) {
                    continue;
                }
                whole &= (m.flags() & RouteMessages.FLAG_DUMP_INTERRUPTED) == 0;
                if (m.type() == RouteMessages.ERROR || m.type() == RouteMessages.DONE) {
                    end(m, dump);
                    return whole;
                }
                if (m.type() == type) {
                    var _ = decoder.decode(m.body());
                    if (!dump) {
                        return true;
                    }
                }
            }
            if (!any) {
                throw NetlinkReader.malformed("an empty datagram");
            }
        }
    }

    /**
     * Handles the message that ends an answer; unless the question was a dump, that message is an
     * error.
     */
    private static void end(NetlinkReader m, boolean dump) throws NetlinkException {
        int errno = m.body().remaining() < 4 && dump ? 0 : RouteMessages.errno(m.body());
        if (errno != 0) {
            throw new NetlinkException(errno, "errno " + errno);
        }
        if (!dump) {
            throw NetlinkReader.malformed("an end without an answer");
        }
    }

    private void drop() {
        if (socket != null) {
            socket.close();
            socket = null;
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        drop();
    }
}
