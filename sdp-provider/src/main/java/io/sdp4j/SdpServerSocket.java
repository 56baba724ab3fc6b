package io.sdp4j;

import io.sdp4j.offload.OffloadSwitch;
import io.sdp4j.offload.net.SwitchSocketImpl;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.SocketException;

/**
 * A listener that takes SDP connections only. A kernel listener is bound beside it, because the
 * kernel decides who owns a port; whoever comes in by plain TCP is reset.
 */
public final class SdpServerSocket extends ServerSocket {
    private final OffloadSwitch owner;

    /** Unbound. */
    public SdpServerSocket() {
        this(Sdp.owner());
    }

    SdpServerSocket(OffloadSwitch owner) {
        super(SwitchSocketImpl.server(owner));
        this.owner = owner;
    }

    @Override
    public SdpSocket accept() throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isBound()) {
            throw new SocketException("Socket is not bound yet");
        }
        SdpSocket accepted = new SdpSocket(owner);
        implAccept(accepted);
        return accepted;
    }
}
