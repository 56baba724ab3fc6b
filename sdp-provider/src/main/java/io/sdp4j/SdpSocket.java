package io.sdp4j;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SwitchSocketImpl;
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
}
