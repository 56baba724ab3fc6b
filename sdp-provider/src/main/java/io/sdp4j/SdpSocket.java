package io.sdp4j;

import io.sdp4j.offload.spi.ConnectionInfo;
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
    private final SdpSocketImpl impl;

    /** Unconnected. */
    public SdpSocket() throws SocketException {
        this(new SdpSocketImpl(Sdp.provider(), false));
    }

    SdpSocket(SdpSocketImpl impl) throws SocketException {
        super(impl);
        this.impl = impl;
    }

    SdpSocketImpl impl() {
        return impl;
    }

    /**
     * Which fabric carries the connection and what it has carried so far; empty while there is
     * none.
     */
    public Optional<ConnectionInfo> connectionInfo() {
        return impl.connectionInfo();
    }
}
