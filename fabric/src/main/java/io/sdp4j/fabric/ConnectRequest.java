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
 *     peer shall see; it may have to bind a port, so a fabric that finds no listener must not call
 *     it
 * @param privateData carried to the passive side; at most {@link
 *     Capabilities#maxRequestPrivateDataBytes()}
 * @param spec this side's queue pair
 * @param askedNanos {@link System#nanoTime()} value when the attempt began
 * @param deadlineNanos likewise, after which the attempt has failed
 * @param limitNanos likewise, not before it: as far as that a fabric may go on for what it needs
 *     for itself, so that the peer gets all of its time
 * @param abandoned whether the connection is not wanted any more; asked on any thread, at least
 *     every {@link #ABANDON_CHECK_NANOS} while one waits; must be quick and not throw
 * @param asked called when the peer is about to be asked, on the thread that connects, with
 *     something that tells whether the peer may take the connection for established already; that
 *     may be called on any thread, also later
 * @param socket a descriptor of the TCP socket that is connected from the local address to {@code
 *     remote}, whose connection is to move onto the queue pair: both ends prove that they hold it;
 *     -1 = there is no such connection. Stays the caller's; may be closed at any time
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
     * thread that closes a socket, and a stalled attempt that wakes so often costs nothing to speak
     * of.
     */
    public static final long ABANDON_CHECK_NANOS = 5_000_000;

    /** This request, of which several attempts may be made: the local address is asked for once. */
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

    /** Finds, if need be binds, the local address of a connection. */
    @FunctionalInterface
    public interface LocalAddress {
        /**
         * The address, with the port.
         *
         * @param source where the fabric's path leaves this host; null if the fabric does not know,
         *     which costs a look at the routes
         */
        InetSocketAddress find(InetAddress source) throws IOException;

        /** The address that the connection has to leave by; null = the way there decides. */
        default InetAddress bound() {
            return null;
        }

        /** {@code finder} for what was bound to an address; null or a wildcard binds to none. */
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
