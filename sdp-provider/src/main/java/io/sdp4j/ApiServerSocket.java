package io.sdp4j;

import io.sdp4j.api.SdpServerSocket;
import io.sdp4j.api.SdpSocket;
import io.sdp4j.offload.net.SwitchSocketImpl;
import java.io.IOException;
import java.net.SocketException;

/** A listener of one {@link ApiProvider}, which closes it when it is closed itself. */
final class ApiServerSocket extends SdpServerSocket {
    private final ApiProvider owner;

    ApiServerSocket(ApiProvider owner) {
        super(SwitchSocketImpl.server(owner.owner()));
        this.owner = owner;
        owner.opened(this);
    }

    @Override
    public SdpSocket accept() throws IOException {
        if (isClosed()) {
            throw new SocketException("Socket is closed");
        }
        if (!isBound()) {
            throw new SocketException("Socket is not bound yet");
        }
        ApiSocket accepted = new ApiSocket(owner);
        implAccept(accepted);
        return accepted;
    }
}
