package io.sdp4j;

import io.sdp4j.api.ConnectionInfo;
import io.sdp4j.api.SdpSocket;
import io.sdp4j.offload.net.SwitchSocketImpl;
import java.io.IOException;
import java.net.SocketException;
import java.util.Optional;

/** A socket of one {@link ApiProvider}, which closes it when it is closed itself. */
final class ApiSocket extends SdpSocket {
    private final SwitchSocketImpl impl;

    ApiSocket(ApiProvider owner) throws SocketException {
        this(SwitchSocketImpl.client(owner.owner(), false));
        owner.opened(this);
    }

    private ApiSocket(SwitchSocketImpl impl) throws SocketException {
        super(impl);
        this.impl = impl;
    }

    @Override
    public Optional<ConnectionInfo> connectionInfo() {
        return impl.connectionInfo();
    }

    @Override
    public boolean migrate() throws IOException {
        return impl.migrate();
    }
}
