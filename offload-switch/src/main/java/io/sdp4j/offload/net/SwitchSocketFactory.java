package io.sdp4j.offload.net;

import io.sdp4j.offload.OffloadSwitch;
import java.net.SocketImpl;
import java.net.SocketImplFactory;

/**
 * Makes implementations for one kind of socket. Does nothing but allocate (behaviour 61): it is
 * asked for every TLS wrapper and for each pending accept, and what it gives is often thrown away.
 *
 * @param server for {@code ServerSocket.setSocketFactory}, else {@code Socket.setSocketImplFactory}
 */
public record SwitchSocketFactory(OffloadSwitch owner, boolean server)
        implements SocketImplFactory {
    @Override
    public SocketImpl createSocketImpl() {
        return server
                ? SwitchSocketImpl.server(owner)
                : SwitchSocketImpl.client(owner, !Proxies.possible() || !Proxies.declined());
    }
}
