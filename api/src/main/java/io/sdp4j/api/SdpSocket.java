package io.sdp4j.api;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketImpl;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A socket over SDP. Behaves as {@link Socket} in every other respect: time-outs, options,
 * half-close, asynchronous close, addresses, exceptions, thread-safety.
 *
 * <p>Unless the rules of its {@link SdpConfig} say otherwise, a connection that cannot be had by
 * SDP fails with {@link java.net.ConnectException}, whose text says why.
 *
 * @since 0.1
 */
public abstract class SdpSocket extends Socket {
    /**
     * For implementations.
     *
     * @param impl carries the data; null for one that overrides everything
     * @throws SocketException as {@link Socket#Socket(SocketImpl)}
     */
    protected SdpSocket(@Nullable SocketImpl impl) throws SocketException {
        super(impl);
    }

    /**
     * Which fabric carries the connection and what it has carried so far.
     *
     * @return a snapshot; empty while there is no connection
     */
    public abstract Optional<ConnectionInfo> connectionInfo();

    /**
     * Has the session leave its queue pair for a fresh one (SuspComm), for example because this
     * host's address has moved to another device or port. Nothing is lost or told twice, and the
     * peer's application notices nothing but a pause. Returns at once: until the peer has followed,
     * this side's writes and reads wait as for a slow peer.
     *
     * <p>Not every SDP answers SuspComm; this one does. With a peer that does not, or does not come
     * back in time, the connection is reset. A moment when little is written is the best: a peer
     * that has no credit left when it is asked cannot answer.
     *
     * @return false if nothing was asked for: not connected, connected by shared memory, which has
     *     no other way to go, one half has ended, or the last time is not over
     * @throws IOException if there is no port to be found at, or the fabric cannot listen on it;
     *     the connection goes on where it is
     */
    public abstract boolean migrate() throws IOException;
}
