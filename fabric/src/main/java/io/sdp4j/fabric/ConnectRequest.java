package io.sdp4j.fabric;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Parameters of a connect, chosen by the active side.
 *
 * @param remote the address the application wants, resolved
 * @param localAddress called at most once, when a listener has been found, for the address that the
 *     peer sees; the call may bind a port, so a fabric that finds no listener must not make it
 * @param privateData carried to the passive side; at most {@link
 *     Capabilities#maxRequestPrivateDataBytes()}
 * @param spec this side's queue pair
 * @param askedNanos {@link System#nanoTime()} value when the attempt began
 * @param deadlineNanos {@link System#nanoTime()} value after which the attempt has failed
 * @param limitNanos {@link System#nanoTime()} value, not before the deadline, until which a fabric
 *     may extend the attempt by the time that it needs for itself, so that the peer gets all of its
 *     time
 * @param abandoned whether the connection is not wanted any more; asked on any thread, at least
 *     every {@link #ABANDON_CHECK_NANOS} while a thread waits; must be quick and not throw
 * @param asked called on the connecting thread when the peer is about to be asked; its argument
 *     tells whether the peer may already take the connection for established, and may be called on
 *     any thread, also later
 * @param socket a descriptor of the TCP socket that is connected from the local address to {@code
 *     remote}, if that connection is to move onto the queue pair: both ends prove that they hold
 *     it; -1 = there is none. The caller keeps it and may close it at any time
 */
@SuppressWarnings("ArrayRecordComponent") // carried, never compared
public record ConnectRequest(
        InetSocketAddress remote,
        LocalAddress localAddress,
        byte[] privateData,
        QpSpec spec,
        long askedNanos,
        long deadlineNanos,
        long limitNanos,
        BooleanSupplier abandoned,
        Consumer<BooleanSupplier> asked,
        int socket) {
    /**
     * How long a fabric may go on waiting for a connection that was abandoned. Short enough for a
     * thread that closes a socket, and long enough that a stalled attempt costs almost nothing.
     */
    public static final long ABANDON_CHECK_NANOS = 5_000_000;

    /** Returns this request for several attempts: the local address is asked for only once. */
    public ConnectRequest askingOnce() {
        InetSocketAddress[] found = new InetSocketAddress[1];
        return new ConnectRequest(
                remote,
                LocalAddress.of(
                        localAddress.bound(),
                        source -> {
                            if (found[0] == null) {
                                found[0] = localAddress.find(source);
                            }
                            return found[0];
                        }),
                privateData,
                spec,
                askedNanos,
                deadlineNanos,
                limitNanos,
                abandoned,
                asked,
                socket);
    }

    /** Finds the local address of a connection, and binds it if necessary. */
    @FunctionalInterface
    public interface LocalAddress {
        /**
         * The address, with the port.
         *
         * @param source the address by which the fabric's path leaves this host; null if the fabric
         *     does not know, which costs a route look-up
         */
        InetSocketAddress find(InetAddress source) throws IOException;

        /** The address that the connection has to leave by; null = the route decides. */
        default InetAddress bound() {
            return null;
        }

        /**
         * Returns {@code finder} with the address that the socket was bound to; null or a wildcard
         * binds to none.
         */
        static LocalAddress of(InetAddress bound, LocalAddress finder) {
            if (bound == null || bound.isAnyLocalAddress()) {
                return finder;
            }
            return new LocalAddress() {
                @Override
                public InetSocketAddress find(InetAddress source) throws IOException {
                    return finder.find(source);
                }

                @Override
                public InetAddress bound() {
                    return bound;
                }
            };
        }
    }
}
