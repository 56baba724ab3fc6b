package io.sdp4j;

import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * A listener that takes SDP connections only. A kernel listener is bound beside it, because the
 * kernel decides who owns a port; whoever comes in by plain TCP is reset at once.
 */
public final class SdpServerSocket extends ServerSocket {
    /** Unbound. */
    public SdpServerSocket() {
        super(new SdpSocketImpl(Sdp.provider(), true));
    }

    @Override
    public Socket accept() throws IOException {
        if (isClosed()) {
            throw new java.net.SocketException("Socket is closed");
        }
        if (!isBound()) {
            throw new java.net.SocketException("Socket is not bound yet");
        }
        SdpSocket accepted = new SdpSocket();
        implAccept(accepted);
        return accepted;
    }
}
