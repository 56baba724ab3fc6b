package io.sdp4j;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SwitchSocketImpl;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.Optional;

/**
 * A socket that is SDP or fails. Behaves as {@link Socket} in every other respect: time-outs,
 * options, half-close, asynchronous close, addresses, exceptions.
 *
 * <p>A connection that cannot be had by SDP fails with {@link java.net.ConnectException}, whose
 * text says why.
 */
public final class SdpSocket extends Socket {
    private final SwitchSocketImpl impl;

    /** Unconnected. */
    public SdpSocket() throws SocketException {
        this(Sdp.owner());
    }

    SdpSocket(OffloadSwitch owner) throws SocketException {
        this(SwitchSocketImpl.client(owner, false));
    }

    private SdpSocket(SwitchSocketImpl impl) throws SocketException {
        super(impl);
        this.impl = impl;
    }

    /**
     * Which fabric carries the connection and what it has carried so far; empty while there is
     * none.
     */
    public Optional<ConnectionInfo> connectionInfo() {
        return impl.connectionInfo();
    }

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
     * @return false if nothing was asked for: not connected, one half has ended, or the last time
     *     is not over
     * @throws IOException if there is no port to be found at, or the fabric cannot listen on it;
     *     the connection goes on where it is
     */
    public boolean migrate() throws IOException {
        return impl.migrate();
    }
}
